import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../testkit/free-port.js';
import { requireProgram } from '../../testkit/program.js';

const run = promisify(execFile);
const START_LIMIT_MS = 30_000;

/** Local ports that replace the addresses of the examples. */
export type Upstreams = { gateway: number; unleash: number };

export type ReverseProxy = {
  url: string;
  /** Name and port of the server, as clients of the example send them. */
  host: string;
  stop(): Promise<void>;
};

type Start = (configuration: string, upstreams: Upstreams) => Promise<ReverseProxy>;

/** Unleash and the gateway, or the gateway alone. */
const HOST = /\b(?:flags|graph)\.example\.com\b/;

const hostOf = (configuration: string): string => {
  const [host] = HOST.exec(configuration) ?? [];
  if (host === undefined) throw new Error('The configuration names no host.');
  return host;
};

const withUpstreams = (configuration: string, { gateway, unleash }: Upstreams): string =>
  // In one pass: an inserted port may start with the digits of the other one.
  configuration.replaceAll(
    /127\.0\.0\.1:(4000|4242)\b/g,
    (_address, port) => `127.0.0.1:${port === '4000' ? gateway : unleash}`,
  );

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

const stop = async (child: ChildProcess, folder: string): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
};

const serve = async (
  command: string,
  args: readonly string[],
  folder: string,
  { host, port }: { host: string; port: number },
): Promise<ReverseProxy> => {
  const child = spawn(command, args, {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text;
    });
  }
  for (const deadline = Date.now() + START_LIMIT_MS; !(await isListening(port)); ) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop(child, folder);
      throw new Error(`${command} does not listen:\n${output}`);
    }
    await delay(50);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    host: `${host}:${port}`,
    stop: () => stop(child, folder),
  };
};

/** Starts nginx with a configuration file; only addresses and folders are replaced. */
export const startNginx: Start = async (configuration, upstreams) => {
  await requireProgram({ command: 'nginx', version: ['-v'] });
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-nginx-'));
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    withUpstreams(configuration, upstreams)
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('http {', `http { access_log off; ${folders}`),
  );
  const main = `daemon off; error_log stderr; pid ${folder}/nginx.pid;`;
  const args = ['-p', folder, '-c', file, '-e', 'stderr', '-g', main];
  return serve('nginx', args, folder, { host: hostOf(configuration), port });
};

type CaddyConfig = { apps: { http: { servers: Record<string, { listen: string[] }> } } };

/** Starts Caddy with a Caddyfile, without TLS and on one local address. */
export const startCaddy: Start = async (configuration, upstreams) => {
  await requireProgram({ command: 'caddy', version: ['version'] });
  const port = await freePort();
  const host = hostOf(configuration);
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-caddy-'));
  const file = join(folder, 'Caddyfile');
  writeFileSync(
    file,
    withUpstreams(configuration, upstreams).replace(
      `${host} {`,
      `http://${host}:${port}, http://127.0.0.1:${port} {`,
    ),
  );
  const { stdout } = await run('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile']);
  const adapted = JSON.parse(stdout) as CaddyConfig;
  for (const server of Object.values(adapted.apps.http.servers)) {
    server.listen = [`127.0.0.1:${port}`];
  }
  const json = join(folder, 'caddy.json');
  writeFileSync(json, JSON.stringify({ ...adapted, admin: { disabled: true } }));
  return serve('caddy', ['run', '--config', json], folder, { host, port });
};
