import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import type { Assets, AssetType } from './assets.js';

// The same two steps up from src/pages and from dist/pages.
const ROOT = new URL('../../', import.meta.url);

export const readText = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** Paths of all files below a folder, from the root of the repository on. */
export const listRepository = (folder: string): string[] =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' }).map(
    (path) => `${folder}/${path.split(sep).join('/')}`,
  );

/** Takes a file of `web/` into the assets. */
export const addWebFile = (assets: Assets, name: string, type: AssetType): string =>
  assets.add(name, type, readText(`web/${name}.${type}`));

/** Takes in a module after those it imports, which it then finds under their new names. */
export const addWebModule = (assets: Assets, name: string): string => {
  const text = readText(`web/${name}.js`).replace(
    /(?<=from ')\.\/([\w-]+)\.js(?=')/g,
    (_path, imported: string) => `./${addWebModule(assets, imported)}`,
  );
  return assets.add(name, 'js', text);
};

const { version, description } = JSON.parse(readText('package.json')) as {
  version: string;
  description: string;
};

export const PRODUCT = { name: 'flaggraph', version, description } as const;
