import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PAGES, REPOSITORY, SITE } from './folders.mjs';
import { REPOSITORY_PAGES } from './repository-pages.mjs';
import { schemaPages } from './schema-pages.mjs';
import { writeSectionPages } from './section-pages.mjs';

const SCALAR = 'node_modules/@scalar/api-reference/dist/browser/standalone.js';

const write = (page, text) => {
  const path = join(PAGES, page);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const read = (file) => readFileSync(join(REPOSITORY, file), 'utf8');

/** Collects the pages that VitePress builds. */
export const preparePages = () => {
  rmSync(PAGES, { recursive: true, force: true });
  cpSync(join(REPOSITORY, 'docs'), PAGES, { recursive: true });
  for (const [file, page] of REPOSITORY_PAGES) write(page, read(file));
  for (const [name, text] of schemaPages(read('schema.graphql'))) {
    write(`reference/schema/${name}`, text);
  }
  writeSectionPages(PAGES);
  cpSync(join(SITE, 'static'), join(PAGES, 'public'), { recursive: true });
  cpSync(join(REPOSITORY, 'web/icon.svg'), join(PAGES, 'public/icon.svg'));
  cpSync(join(SITE, SCALAR), join(PAGES, 'public/openapi/scalar.js'));
};
