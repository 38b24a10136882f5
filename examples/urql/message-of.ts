import type { CombinedError } from 'urql';

/** What the gateway says, without the mark that urql puts in front. */
export const messageOf = (error: CombinedError | undefined): string | undefined =>
  error && (error.graphQLErrors[0]?.message ?? error.message);
