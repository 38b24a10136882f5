import type { ParityRequest } from '../request.js';
import type { Sides } from '../sides.js';

/** Requests that belong together, with their setup. */
export type Scenario = {
  /** The part of the reference that it tests. */
  title: string;
  requests: readonly ParityRequest[];
  setUp?: (sides: Sides) => Promise<void>;
  /** Undoes what `setUp` did. */
  tearDown?: (sides: Sides) => Promise<void>;
};

/** Runs the same statement on both databases. */
export const onBoth = async (sides: Sides, text: string, values?: unknown[]): Promise<void> => {
  await sides.upstreamSql.query(text, values);
  await sides.gatewaySql.query(text, values);
};

export const query = (params: Record<string, string | number>): string =>
  Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
