import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, sep } from 'node:path';
import { packageFile } from '../package-files.js';
import { CONTENT_TYPES } from './assets.js';
import type { Site } from './layout.js';

const SCRIPT_HASHES = 'script-hashes.json';
const TYPES: Readonly<Record<string, string>> = {
  ...CONTENT_TYPES,
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  webp: 'image/webp',
};
const TEXTS = ['css', 'html', 'js', 'json', 'svg'];
const NOT_FOUND = '404.html';

/** What the build leaves open, because it depends on settings. */
const BASE_PATH = '/__BASE_PATH__';
const GRAPHIQL = '__GRAPHIQL__';
const CONSOLE = '__CONSOLE__';

const extensionOf = (name: string) => extname(name).slice(1);

const isText = (name: string) => TEXTS.includes(extensionOf(name));

const listFiles = (folder: URL): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => extensionOf(path) in TYPES)
    .map((path) => path.split(sep).join('/'));

/** The files of the built site. Null if it is not built. */
export const readDocsFiles = (
  { basePath, hasGraphiql, hasConsole }: Pick<Site, 'basePath' | 'hasGraphiql' | 'hasConsole'>,
  folder = packageFile('dist/docs/'),
) => {
  const hashes = new URL(SCRIPT_HASHES, folder);
  if (!existsSync(hashes)) return null;
  const scriptHashes = JSON.parse(readFileSync(hashes, 'utf8')) as string[];
  const graphiql = hasGraphiql ? `${basePath}/graphql` : '';
  const webConsole = hasConsole ? `${basePath}/` : '';

  return {
    scriptHashes,
    /** Shown for an unknown address. */
    notFound: NOT_FOUND,
    names: listFiles(folder).filter((name) => ![SCRIPT_HASHES, NOT_FOUND].includes(name)),
    /** Other files are compressed already. */
    isText,
    typeOf: (name: string): string => TYPES[extensionOf(name)] ?? 'application/octet-stream',
    read: (name: string): Buffer => {
      const body = readFileSync(new URL(name, folder));
      if (!isText(name)) return body;
      const text = body
        .toString()
        .replaceAll(BASE_PATH, basePath)
        .replaceAll(GRAPHIQL, graphiql)
        .replaceAll(CONSOLE, webConsole);
      return Buffer.from(text);
    },
  };
};

export type DocsFiles = NonNullable<ReturnType<typeof readDocsFiles>>;
