import { existsSync, readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);
const BUILT = new URL('dist/docs/', ROOT);

export const readRepository = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const list = (folder: URL): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

/** Markdown files below `docs/`, such as `guides/attach.md`. */
export const listPages = (): string[] =>
  list(new URL('docs/', ROOT)).filter((path) => path.endsWith('.md'));

/** Files of the built site, such as `guides/attach.html`. */
export const listBuilt = (): string[] => {
  if (!existsSync(BUILT)) throw new Error('The documentation is not built: npm run docs');
  return list(BUILT);
};

export const readBuilt = (path: string): string => readFileSync(new URL(path, BUILT), 'utf8');

/** GraphQL blocks of a Markdown file. */
export const graphqlBlocks = (markdown: string): string[] =>
  [...markdown.matchAll(/^```graphql\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text.trim());
