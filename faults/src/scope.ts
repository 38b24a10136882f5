type Close = () => unknown;

/** Resources of one experiment. All are closed in reverse order, even if closing one fails. */
export type Scope = {
  onClose(close: Close): void;
  close(): Promise<void>;
};

export const createScope = (): Scope => {
  const closers: Close[] = [];
  return {
    onClose: (close) => closers.push(close),
    close: async () => {
      for (let close = closers.pop(); close; close = closers.pop()) {
        try {
          await close();
        } catch (error) {
          process.stderr.write(`Cleaning up failed: ${error}\n`);
        }
      }
    },
  };
};
