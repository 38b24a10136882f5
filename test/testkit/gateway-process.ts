import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../scripts/build-and-run.mjs', import.meta.url));
const OUTPUT_TIMEOUT_MS = 60_000;
const ADDRESS = /http:\/\/(?:127\.0\.0\.1|\[::1\]):\d+/;

export type CommandResult = { code: number | null; stdout: string; stderr: string };

export type CommandProcess = {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves with the part of the standard output that matches, or rejects on a timeout. */
  waitForOutput(pattern: RegExp): Promise<string>;
  ended: Promise<CommandResult>;
  stop(signal: NodeJS.Signals): Promise<CommandResult>;
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

/** Ends processes that a failed test has left behind. */
export const stopCommands = async (): Promise<void> => {
  const ends = [...running].map((child) => once(child, 'close'));
  stopAll();
  await Promise.all(ends);
};

/** Starts the command line with only the given settings. */
export const startCommand = (
  args: readonly string[],
  settings: Record<string, string> = {},
): CommandProcess => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    // Building the console would install packages.
    env: { PATH, HOME, CONSOLE: 'off', ...settings },
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
    stderr = (stderr + text).replace(/^(?:(?:Generating|Building|Waiting for) .* …\n)+/, '');
  });
  const ended = once(child, 'close').then(
    ([code]): CommandResult => ({ code: code as number | null, stdout, stderr }),
  );

  const waitForOutput = async (pattern: RegExp): Promise<string> => {
    const signal = AbortSignal.timeout(OUTPUT_TIMEOUT_MS);
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
    waitForOutput,
    ended,
    stop: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
};

/** Runs a command until it exits. */
export const runCommand = (
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<CommandResult> => startCommand(args, settings).ended;

/** Starts a gateway on a free port and waits until it listens. */
export const startGatewayProcess = async (
  settings: Record<string, string>,
): Promise<GatewayProcess> => {
  const started = startCommand(['serve'], { PORT: '0', ...settings });
  return { ...started, url: await started.waitForOutput(ADDRESS) };
};
