import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type GatewayProcess = {
  url: string;
  /** Kills the process without a warning. */
  kill: () => Promise<void>;
};

const MAIN = fileURLToPath(new URL('../../.compiled/main.js', import.meta.url));

const listening = async (child: ChildProcess): Promise<string> => {
  if (!child.stdout) throw new Error('The gateway has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /GraphQL +(http:\/\/[^/]+)\/graphql/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error(`The gateway ended with ${child.exitCode} before it listened.`);
};

/** Starts the compiled gateway in its own process; building first would race with other suites. */
export const startCompiledGateway = async (
  settings: Record<string, string>,
): Promise<GatewayProcess> => {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { ...inherited, NODE_ENV: 'development', PORT: '0', LOG_LEVEL: 'silent', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await listening(child);
  child.stdout?.resume();
  return {
    url,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
};
