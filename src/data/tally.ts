import { AsyncLocalStorage } from 'node:async_hooks';

/** What the database was asked for on behalf of one piece of work. */
export type Tally = { statements: number; rows: number };

const storage = new AsyncLocalStorage<Tally>();
let measured = 0;

const current = (): Tally | undefined => (measured > 0 ? storage.getStore() : undefined);

/** Whether what happens now is counted. */
export const isMeasured = (): boolean => current() !== undefined;

export const countStatement = (): void => {
  const tally = current();
  if (tally) tally.statements += 1;
};

export const countRows = (rows: number): void => {
  const tally = current();
  if (tally) tally.rows += rows;
};

/** Rows that came as one value of a single row; it is they who count, not what they came in. */
export const countPackedRows = (rows: number): void => countRows(rows - 1);

/** Does some work and counts, from its begin, what it asks the database for. */
export const measure = async <Result>(work: (tally: Tally) => Promise<Result>): Promise<Result> => {
  const tally = { statements: 0, rows: 0 };
  measured += 1;
  try {
    return await storage.run(tally, () => work(tally));
  } finally {
    measured -= 1;
    // As long as it is enabled it slows down every promise of the process.
    if (measured === 0) storage.disable();
  }
};
