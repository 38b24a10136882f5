import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createGatewayRuntime, type GatewayConfigSupergraph } from '@graphql-hive/gateway-runtime';
import { freePort } from '../../testkit/free-port.js';

type Post = (init: RequestInit) => Promise<Response>;
type Router = { post: Post; stop: () => Promise<void> };

const PROGRAM = fileURLToPath(
  new URL('node_modules/@graphql-hive/gateway/dist/bin.js', import.meta.url),
);

const runEngine = async (config: string, supergraph: string): Promise<Router> => {
  const script = `data:text/javascript,${encodeURIComponent(config)}`;
  const { gatewayConfig } = (await import(script)) as { gatewayConfig: GatewayConfigSupergraph };
  const router = createGatewayRuntime({ ...gatewayConfig, supergraph, logging: false });
  return {
    post: async (init) => router.fetch('http://router/graphql', init),
    stop: async () => router[Symbol.asyncDispose](),
  };
};

const runProgram = async (config: string, supergraph: string): Promise<Router> => {
  const folder = await mkdtemp(join(tmpdir(), 'flaggraph-router-'));
  await writeFile(join(folder, 'gateway.config.mjs'), config);
  await writeFile(join(folder, 'supergraph.graphql'), supergraph);
  const port = await freePort();
  const options = ['supergraph', '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(process.execPath, [PROGRAM, ...options], { cwd: folder, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const address = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${address}/healthcheck`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`Hive Gateway ended with ${child.exitCode}`);
    await wait(200);
  }

  return {
    post: (init) => fetch(`${address}/graphql`, init),
    stop: async () => {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
};

/** Hive Gateway as a library in this process, and as a program. */
export const ROUTERS = ['engine', 'program'] as const;

/** Hive Gateway over a composed graph. */
export const startRouter = async (
  kind: (typeof ROUTERS)[number],
  config: string,
  supergraph: string,
) => {
  const run = kind === 'engine' ? runEngine : runProgram;
  const { post, stop } = await run(config, supergraph);

  return {
    ask: async (query: string, variables: Record<string, unknown>, token: string | null) => {
      const response = await post({
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== null && { authorization: token }),
        },
        body: JSON.stringify({ query, variables }),
      });
      return response.json();
    },
    stop,
  };
};
