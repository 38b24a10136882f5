/** Settings and output of a command: those of the process, except in tests. */
export type Terminal = { env: NodeJS.ProcessEnv; print: (line: string) => void };

export const processTerminal: Terminal = { env: process.env, print: (line) => console.log(line) };

/** Colors only on a terminal, and only without NO_COLOR (https://no-color.org). */
export const supportsColor = (
  stream: { isTTY?: boolean },
  { NO_COLOR }: NodeJS.ProcessEnv,
): boolean => stream.isTTY === true && !NO_COLOR;

/** Where a streaming command writes everything but its stream. */
export type StreamTerminal = {
  env: NodeJS.ProcessEnv;
  writeError: (text: string) => void;
  /** Whether standard output supports colors. */
  hasColor: boolean;
  /** Whether a progress line may be overwritten. */
  isInteractive: boolean;
  exit: (status: number) => void;
};

export const processStreamTerminal: StreamTerminal = {
  env: process.env,
  writeError: (text) => process.stderr.write(text),
  hasColor: supportsColor(process.stdout, process.env),
  isInteractive: process.stderr.isTTY === true,
  // All writes have been awaited; unread output must not keep the process alive.
  exit: (status) => process.exit(status),
};
