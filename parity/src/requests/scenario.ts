import type { ParityRequest } from '../request.js';
import type { Sides } from '../sides.js';

/** Requests that belong together, with what has to be so while they are sent. */
export type Scenario = {
  /** Which part of the reference it is about. */
  title: string;
  requests: readonly ParityRequest[];
  setUp?: (sides: Sides) => Promise<void>;
  /** Undoes what `setUp` did. */
  tearDown?: (sides: Sides) => Promise<void>;
};

/** The same statement on both databases. */
export const onBoth = async (sides: Sides, text: string, values?: unknown[]): Promise<void> => {
  await sides.upstreamSql.query(text, values);
  await sides.gatewaySql.query(text, values);
};

export const query = (params: Record<string, string | number>): string =>
  Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
