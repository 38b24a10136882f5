import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../scripts/flaggraph.mjs', import.meta.url));
const PATIENCE_MS = 60_000;
const ADDRESS = /http:\/\/(?:127\.0\.0\.1|\[::1\]):\d+/;

export type Ended = { code: number | null; stdout: string; stderr: string };

export type CommandProcess = {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves with the part of the standard output that matches, or rejects when it does not come. */
  said(pattern: RegExp): Promise<string>;
  ended: Promise<Ended>;
  stop(signal: NodeJS.Signals): Promise<Ended>;
};

export type GatewayProcess = CommandProcess & {
  /** Address of the server without its base path. */
  url: string;
};

const running = new Set<ChildProcess>();
const stopAll = () => {
  for (const child of running) child.kill('SIGKILL');
};
process.on('exit', stopAll);

/** Ends what a failed test has left behind. */
export const stopCommands = async (): Promise<void> => {
  const ends = [...running].map((child) => once(child, 'close'));
  stopAll();
  await Promise.all(ends);
};

/** Starts the command line with no other settings than the given ones. */
export const startCommand = (
  args: readonly string[],
  settings: Record<string, string> = {},
): CommandProcess => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    // A source edited during a run makes the next command build first.
    stderr = (stderr + text).replace(/^Building …\n/, '');
  });
  const ended = once(child, 'close').then(
    ([code]): Ended => ({ code: code as number | null, stdout, stderr }),
  );

  const said = async (pattern: RegExp): Promise<string> => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const match = pattern.exec(stdout);
      if (match) return match[0];
      const more = once(child.stdout, 'data', { signal }).then(
        () => 'more',
        () => 'late',
      );
      if ((await Promise.race([more, ended])) === 'more') continue;
      throw new Error(`flaggraph has not said ${pattern}, but:\n${stdout}${stderr}`);
    }
  };

  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    said,
    ended,
    stop: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
};

/** Runs a command to its end. */
export const runCommand = (
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<Ended> => startCommand(args, settings).ended;

/** Starts a gateway on a free port and waits until it listens. */
export const startGatewayProcess = async (
  settings: Record<string, string>,
): Promise<GatewayProcess> => {
  const started = startCommand(['serve'], { PORT: '0', ...settings });
  return { ...started, url: await started.said(ADDRESS) };
};
