import type { CombinedError } from 'urql';

/** The message of the gateway, without the prefix that urql adds. */
export const messageOf = (error: CombinedError | undefined): string | undefined =>
  error && (error.graphQLErrors[0]?.message ?? error.message);
