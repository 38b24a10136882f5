/** Files outside of `docs/` that are pages of the site, with their page. */
const PAGE_OF = {
  'ARCHITECTURE.md': 'explanation/architecture.md',
  'CHANGELOG.md': 'reference/changelog.md',
  'CONTRIBUTING.md': 'explanation/contributing.md',
  'SECURITY.md': 'operations/security-policy.md',
  'examples/README.md': 'guides/examples.md',
};

/** Links to these files point to a page that is generated from other sources. */
const LINK_OF = { 'README.md': 'index.md', 'schema.graphql': 'reference/schema/index.md' };

export const REPOSITORY_PAGES = Object.entries(PAGE_OF);

const FILE_OF = Object.fromEntries(REPOSITORY_PAGES.map(([file, page]) => [page, file]));

/** The repository file that a page is generated from. */
export const fileOf = (page) => FILE_OF[page] ?? `docs/${page}`;

/** Page that shows a file of the repository. Null if there is none. */
export const pageOf = (file) => {
  if (file.startsWith('docs/')) return file.slice('docs/'.length);
  return PAGE_OF[file] ?? LINK_OF[file] ?? null;
};
