import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('../../examples/', import.meta.url));
const LIMIT_MS = 600_000;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

const run = promisify(execFile);
const npm = (...args: string[]) => run('npm', args, { cwd: FOLDER, timeout: LIMIT_MS });

const isInstalled = () => {
  const installed = join(FOLDER, 'node_modules/.package-lock.json');
  const wanted = join(FOLDER, 'package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;
};

const build = async (): Promise<void> => {
  if (!isInstalled()) await npm('ci', '--ignore-scripts', '--no-audit', '--no-fund');
  await npm('run', 'build');
};

let built: Promise<void> | undefined;

/** Installs the examples, unless they are, and builds them: the types from the schema, then the pages. */
export const buildExamples = (): Promise<void> => {
  built ??= build();
  return built;
};

const addressOf = async (server: ChildProcess): Promise<string> => {
  let said = '';
  for await (const text of server.stdout ?? []) {
    said += String(text);
    const [address] = ADDRESS.exec(said) ?? [];
    if (address) return address;
  }
  throw new Error(`The pages are not served: ${said}`);
};

/** Serves the pages that were built, in front of a gateway. */
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
