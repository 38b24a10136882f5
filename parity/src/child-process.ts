import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const KEPT_OUTPUT = 200_000;

export type ServerProcess = {
  pid: number;
  /** The end of its output. */
  log(): string;
  hasEnded(): boolean;
  /** Resolves with the exit status, null after a signal. */
  ended: Promise<number | null>;
  /** Kills it; resolves when it has exited. */
  kill(): Promise<void>;
  /** Resolves when the process has exited. */
  stop(): Promise<void>;
};

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program with exactly these environment variables. The program is killed when this process exits. */
export const startProcess = (
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): ServerProcess => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, args, {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const ended = once(child, 'close').then(([status]) => {
    running.delete(child);
    return status as number | null;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT);
    });
  }

  return {
    pid: child.pid ?? 0,
    log: () => output,
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
};

/** Waits until a starting server meets a condition. Fails if the server exits or the wait times out. */
export const waitFor = async <Result>(
  server: ServerProcess,
  what: string,
  limitMs: number,
  condition: () => Promise<Result | undefined>,
): Promise<Result> => {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const result = await condition().catch(() => undefined);
    if (result !== undefined) return result;
    if (server.hasEnded()) throw new Error(`${what} exited while starting:\n${server.log()}`);
    if (Date.now() > deadline) {
      await server.stop();
      throw new Error(`${what} did not start within ${limitMs} ms:\n${server.log()}`);
    }
    await delay(50);
  }
};
