import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('../../../examples/', import.meta.url));
const LIMIT_MS = 600_000;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

const run = promisify(execFile);
const npm = (...args: string[]) => run('npm', args, { cwd: FOLDER, timeout: LIMIT_MS });

const build = async (): Promise<void> => {
  await npm('run', 'build');
};

let built: Promise<void> | undefined;

/** Builds the pages with the client package of this clone. */
export const buildExamples = (): Promise<void> => {
  built ??= build();
  return built;
};

const addressOf = async (server: ChildProcess): Promise<string> => {
  let output = '';
  for await (const text of server.stdout ?? []) {
    output += String(text);
    const [address] = ADDRESS.exec(output) ?? [];
    if (address) return address;
  }
  throw new Error(`The pages are not served: ${output}`);
};

/** Serves the built pages in front of a gateway. */
export const serveExamples = async (gateway: string) => {
  const vite = join(FOLDER, 'node_modules/vite/bin/vite.js');
  const server = spawn(process.execPath, [vite, 'preview', '--host', '127.0.0.1', '--port', '0'], {
    cwd: FOLDER,
    env: { ...process.env, NO_COLOR: '1', GATEWAY: gateway },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  const address = await addressOf(server);
  return {
    address,
    stop: async () => {
      server.kill();
      await ended;
    },
  };
};
