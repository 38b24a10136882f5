/** A server that is being measured. */
export type Contender = {
  /** Address without a slash at its end. */
  url: string;
  pid: number;
  log(): string;
  stop(): Promise<void>;
};

export const NAMES = ['gateway', 'plain', 'original', 'postgraphile', 'limit'] as const;
export type Name = (typeof NAMES)[number];

/** Connections to PostgreSQL each of them may hold. */
export const POOL_SIZE = 10;

/** Every contender runs on the newest Node.js that it supports and the registry's package offers; for Unleash that is 20. */
export const NEWEST_NODES = [22, Number.POSITIVE_INFINITY] as const;
