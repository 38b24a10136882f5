const WIDTH = 30;

export type Progress = {
  /** Shows the current step. */
  log(message: string): void;
  /** Shows that `done` of `total` items are complete. */
  step(done: number, total: number, label: string): void;
  end(): void;
};

/** A progress bar in a terminal, plain lines otherwise; both on standard error. */
export const createProgress = (): Progress => {
  const { stderr } = process;
  const isTerminal = stderr.isTTY === true;
  /** Parts that run at the same time report in turns. */
  const lastTenths = new Map<string, number>();

  const clear = () => {
    if (isTerminal) stderr.write('\r\x1b[K');
  };
  return {
    log: (message) => {
      clear();
      stderr.write(isTerminal ? `${message} …` : `${message}\n`);
    },
    step: (done, total, label) => {
      const share = total === 0 ? 1 : done / total;
      if (isTerminal) {
        const filled = Math.round(share * WIDTH);
        stderr.write(
          `\r\x1b[K${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${total} ${label}`,
        );
        return;
      }
      const tenth = Math.floor(share * 10);
      if (tenth === lastTenths.get(label)) return;
      lastTenths.set(label, tenth);
      stderr.write(`${done}/${total} ${label}\n`);
    },
    end: clear,
  };
};
