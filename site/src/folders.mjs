import { fileURLToPath } from 'node:url';

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

export const REPOSITORY = folder('../..');
export const SITE = folder('..');
/** Markdown that VitePress reads: `docs/`, some files of the repository, and the generated schema reference. */
export const PAGES = folder('../pages');
export const OUTPUT = folder('../dist');
