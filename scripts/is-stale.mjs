import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const newest = (path) => {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const times = readdirSync(path)
    .filter((name) => name !== 'generated')
    .map((name) => newest(join(path, name)));
  return Math.max(0, ...times);
};

/** Whether an output is missing or older than any of its sources. */
export const isStale = (product, sources) => {
  const path = join(root, product);
  if (!existsSync(path)) return true;
  const madeAt = statSync(path).mtimeMs;
  return sources.some((source) => newest(join(root, source)) > madeAt);
};
