const EXIT = { SIGINT: 130, SIGTERM: 143 } as const;
type Name = keyof typeof EXIT;
const NAMES = Object.keys(EXIT) as Name[];

export type Interrupt = {
  /** Aborted by the first SIGINT or SIGTERM. */
  signal: AbortSignal;
  /** Exit status after a signal. Null while there was none. */
  exitStatus: () => number | null;
  /** Restores the default signal handling. */
  ignore: () => void;
};

/** The first signal lets work end in order; a second one exits at once. */
export const listenForInterrupt = (): Interrupt => {
  const stop = new AbortController();
  let status: number | null = null;
  const onSignal = (name: Name) => {
    if (status !== null) process.exit(EXIT[name]);
    status = EXIT[name];
    stop.abort();
  };
  for (const name of NAMES) process.on(name, onSignal);
  return {
    signal: stop.signal,
    exitStatus: () => status,
    ignore: () => {
      for (const name of NAMES) process.off(name, onSignal);
    },
  };
};
