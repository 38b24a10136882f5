/** Examples of input types that clients tend to mistake for plain values. */
const EXAMPLES = {
  StringFilter: '{ is: "web-shop" }',
  IntFilter: '{ is: 42 }',
  EventTypeFilter: '{ is: FEATURE_CREATED }',
  DeliveryStateFilter: '{ is: FAILED }',
  LifecycleStageFilter: '{ is: LIVE }',
  DateTimeRange: '{ from: "2026-10-15", before: "2026-11-01" }',
} as const;

type Example = keyof typeof EXAMPLES;

const NAMED = new RegExp(`type "(${Object.keys(EXAMPLES).join('|')})!?"`);

export const exampleOf = (type: Example): string => `Example: \`${EXAMPLES[type]}\`.`;

/** Appends an example to GraphQL's own message if it names one of these types. */
export const withExample = (message: string): string => {
  const type = NAMED.exec(message)?.[1] as Example | undefined;
  return type === undefined ? message : `${message} Write it like ${EXAMPLES[type]}.`;
};
