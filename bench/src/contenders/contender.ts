/** A server that is being measured. */
export type Contender = {
  /** URL without a trailing slash. */
  url: string;
  pid: number;
  log(): string;
  stop(): Promise<void>;
};

export const NAMES = ['gateway', 'plain', 'unleash', 'postgraphile', 'limit'] as const;
export type Name = (typeof NAMES)[number];

/** Maximum PostgreSQL connections of each contender. */
export const POOL_SIZE = 10;

/** The newest Node.js that the gateway and PostGraphile support. Unleash 6.6 supports 20. */
export const NEWEST_NODES = [24, Number.POSITIVE_INFINITY] as const;
