import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const blocks = [
  ...readFileSync(`${ROOT}docs/guides/federation.md`, 'utf8').matchAll(
    /^```(\w+)\n([\s\S]*?)^```$/gm,
  ),
].map(([, language = '', text = '']) => ({ language, text }));

const blockWith = (language: string, text: string): string => {
  const found = blocks.find((block) => block.language === language && block.text.includes(text));
  if (!found) throw new Error(`docs/guides/federation.md has no ${language} with ${text}`);
  return found.text;
};

/** The schema of the second subgraph. */
export const TEAMS_SDL = blockWith('graphql', 'type Team ');

/** The queries of the page, each with the response below it. */
export const PAGE_QUERIES = blocks.flatMap(({ language, text }, index) => {
  const next = blocks[index + 1];
  return language === 'graphql' && next?.language === 'json'
    ? [{ query: text, answer: JSON.parse(next.text) }]
    : [];
});

if (PAGE_QUERIES.length === 0)
  throw new Error('docs/guides/federation.md has no query with its answer');

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

/** The page's configuration of Hive Gateway. */
export const GATEWAY_CONFIG = blockWith('js', 'gatewayConfig');
