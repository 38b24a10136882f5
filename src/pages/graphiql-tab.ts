export type Tab = { query: string; variables?: string };

/** A GraphiQL tab: a query, whose name is the tab's title, and its variables. */
export const graphiqlTab = (query: string, variables?: Record<string, unknown>): Tab => ({
  query,
  ...(variables && { variables: JSON.stringify(variables, null, 2) }),
});
