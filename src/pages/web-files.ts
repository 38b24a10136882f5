import { readFileSync } from 'node:fs';
import { packageFile } from '../package-files.js';
import type { Assets, AssetType } from './assets.js';

export const readText = (path: string): string => readFileSync(packageFile(path), 'utf8');

/** Adds a file of `web/` to the assets. */
export const addWebFile = (assets: Assets, name: string, type: AssetType): string =>
  assets.add(name, type, readText(`web/${name}.${type}`));

/** Adds a module and its imports, which are rewritten to their hashed names. */
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
