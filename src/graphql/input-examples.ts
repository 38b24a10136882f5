/** What callers of the graph take for plain values, written as it is meant. */
const EXAMPLES = {
  StringFilter: '{ is: "web-shop" }',
  IntFilter: '{ is: 42 }',
  EventTypeFilter: '{ is: FEATURE_CREATED }',
  DateTimeRange: '{ from: "2026-10-15T00:00:00Z" }',
} as const;

type Example = keyof typeof EXAMPLES;

const NAMED = new RegExp(`type "(${Object.keys(EXAMPLES).join('|')})!?"`);

/** The end of the description of an input type. */
export const exampleOf = (type: Example): string => `Such as \`${EXAMPLES[type]}\`.`;

/** GraphQL's own message with an example of the type it names, where there is one. */
export const withExample = (message: string): string => {
  const type = NAMED.exec(message)?.[1] as Example | undefined;
  return type === undefined ? message : `${message} Write it like ${EXAMPLES[type]}.`;
};
