const EXIT = { SIGINT: 130, SIGTERM: 143 } as const;
type Name = keyof typeof EXIT;
const NAMES = Object.keys(EXIT) as Name[];

export type Interrupt = {
  /** Aborted by the first SIGINT or SIGTERM. */
  signal: AbortSignal;
  /** The status a process ends with after such a signal; null while none has come. */
  exitStatus: () => number | null;
  /** Leaves signals to the system again. */
  ignore: () => void;
};

/** Lets work end in order at the first signal; a second one does not wait. */
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
