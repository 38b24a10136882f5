/** Runs pieces of work one at a time. Each one signals with `end` when the next may start. */
export type StatementQueue = {
  /** Runs at once, or after all earlier work has ended. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Ends the current piece of work. */
  end(): void;
  /** Resolves when nothing is running or waiting. Null if that is the case now. */
  settled(): Promise<void> | null;
};

export const createStatementQueue = (): StatementQueue => {
  const waiting: (() => void)[] = [];
  let busy: { promise: Promise<void>; resolve: () => void } | null = null;

  return {
    run: (work) => {
      if (busy !== null) return new Promise((resolve) => waiting.push(() => resolve(work())));
      let resolve = () => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      busy = { promise, resolve };
      return work();
    },
    end: () => {
      const next = waiting.shift();
      if (next) {
        next();
        return;
      }
      const ended = busy;
      busy = null;
      ended?.resolve();
    },
    settled: () => busy?.promise ?? null,
  };
};
