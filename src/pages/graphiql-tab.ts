export type Tab = { query: string; variables?: string };

/** What GraphiQL opens with: a query, named as its tab is to be, and values for it. */
export const graphiqlTab = (query: string, variables?: Record<string, unknown>): Tab => ({
  query,
  ...(variables && { variables: JSON.stringify(variables, null, 2) }),
});
