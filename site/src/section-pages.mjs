import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sidebarOf } from './sidebar.mjs';

/** Links to the pages of a group. The OpenAPI viewer, which has a target, is not a page. */
const lines = (items, indent = '') =>
  items
    .filter(({ target }) => target === undefined)
    .flatMap(({ text, link, items: inner = [] }) => [
      `${indent}- [${text}](${link})`,
      ...lines(inner, `${indent}  `),
    ]);

/** Writes an index page into every section without one, so that `/docs/guides/` lists the guides. */
export const writeSectionPages = (root) => {
  for (const { text, items } of sidebarOf(root)) {
    const file = join(root, text.toLowerCase(), 'index.md');
    if (!existsSync(join(root, text.toLowerCase())) || existsSync(file)) continue;
    writeFileSync(file, `---\ntitle: ${text}\n---\n\n# ${text}\n\n${lines(items).join('\n')}\n`);
  }
};
