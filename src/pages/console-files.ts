import { existsSync, readFileSync } from 'node:fs';
import { packageFile } from '../package-files.js';
import type { AssetType } from './assets.js';

const ENTRY = 'src/main.tsx';

type Chunk = { file: string; css?: string[]; imports?: string[] };

const isAssetType = (extension: string): extension is AssetType =>
  ['css', 'js', 'svg', 'woff2'].includes(extension);

export type ConsoleFile = { name: string; type: AssetType; body: Buffer };

const manifestOf = (folder: URL) => new URL('manifest.json', folder);

export const isConsoleBuilt = (folder = packageFile('dist/console/')): boolean =>
  existsSync(manifestOf(folder));

/** The files of the built console, which an upgrade of the package may remove meanwhile. Null if it is not built. */
export const readConsoleFiles = (folder = packageFile('dist/console/')) => {
  const manifest = manifestOf(folder);
  if (!existsSync(manifest)) return null;
  const chunks = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, Chunk>;
  const entry = chunks[ENTRY];
  if (!entry) return null;

  const names = Object.values(chunks).flatMap(({ file, css = [] }) => [file, ...css]);
  const files = [...new Set(names)].flatMap((name): ConsoleFile[] => {
    const type = name.slice(name.lastIndexOf('.') + 1);
    return isAssetType(type) ? [{ name, type, body: readFileSync(new URL(name, folder)) }] : [];
  });
  return {
    files,
    script: entry.file,
    styles: entry.css ?? [],
    /** Loaded with the script, in parallel. */
    preloads: (entry.imports ?? []).flatMap((name) => chunks[name]?.file ?? []),
  };
};

/** Documents that the console sends, by hash. Empty if it is not built. */
export const readConsoleDocuments = (
  folder = packageFile('dist/console/'),
): Readonly<Record<string, string>> => {
  const file = new URL('documents.json', folder);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
};
