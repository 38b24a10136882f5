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
