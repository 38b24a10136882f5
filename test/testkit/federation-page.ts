import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGatewayRuntime, type GatewayConfigSupergraph } from '@graphql-hive/gateway-runtime';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const blocks = [
  ...readFileSync(`${ROOT}docs/federation.md`, 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm),
].map(([, language = '', text = '']) => ({ language, text }));

const blockWith = (language: string, mark: string): string => {
  const found = blocks.find((block) => block.language === language && block.text.includes(mark));
  if (!found) throw new Error(`docs/federation.md has no ${language} with ${mark}`);
  return found.text;
};

/** The schema of the second subgraph. */
export const TEAMS_SDL = blockWith('graphql', 'type Team ');

/** The queries of the page, each with the answer below it. */
export const PAGE_QUERIES = blocks.flatMap(({ language, text }, index) => {
  const next = blocks[index + 1];
  return language === 'graphql' && next?.language === 'json'
    ? [{ query: text, answer: JSON.parse(next.text) }]
    : [];
});

/** Runs the page's script that composes both subgraphs. */
export const compose = async (urls: { flaggraph: string; teams: string }): Promise<string> => {
  const script = blockWith('js', 'composeServices');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    {
      cwd: ROOT,
      env: { ...process.env, FLAGGRAPH_URL: urls.flaggraph, TEAMS_URL: urls.teams },
      maxBuffer: 10_000_000,
    },
  );
  return stdout;
};

/** Hive Gateway with the page's configuration, over a composed graph. */
export const startRouter = async (supergraph: string) => {
  const script = `data:text/javascript,${encodeURIComponent(blockWith('js', 'gatewayConfig'))}`;
  const { gatewayConfig } = (await import(script)) as { gatewayConfig: GatewayConfigSupergraph };
  const router = createGatewayRuntime({ ...gatewayConfig, supergraph, logging: false });

  return {
    ask: async (query: string, variables: Record<string, unknown>, token: string | null) => {
      const response = await router.fetch('http://router/graphql', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== null && { authorization: token }),
        },
        body: JSON.stringify({ query, variables }),
      });
      return response.json();
    },
    stop: async () => {
      await router[Symbol.asyncDispose]();
    },
  };
};
