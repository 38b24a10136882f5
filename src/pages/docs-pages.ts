import type { IncomingMessage } from 'node:http';
import type { Answer } from '../http/send.js';
import { type Html, html } from './html.js';
import type { Layout, Site } from './layout.js';
import { pageAnswer } from './page-answer.js';
import { renderMarkdown } from './render-markdown.js';
import { listRepository, PRODUCT, readText } from './web-files.js';

const README = 'README.md';

/** Of a file of the repository: `docs/questions/index.md` is the page `questions/`, the README is `readme`. */
const nameOf = (file: string) =>
  file === README
    ? 'readme'
    : file
        .replace(/^docs\//, '')
        .replace(/\.md$/, '')
        .replace(/(^|\/)index$/, '$1');

const listFiles = (): string[] => [
  README,
  ...listRepository('docs').filter((file) => file.endsWith('.md')),
];

/** The pages of `docs/` and the README. Only names that were found are answered, so no path leads elsewhere. */
export const createDocsPages = ({ site, layout }: { site: Site; layout: Layout }) => {
  const base = `${site.basePath}/docs/`;
  const files = new Map(listFiles().map((file) => [nameOf(file), file]));
  const pages = new Map<string, Html>();

  const addressOf = (file: string): string | null =>
    files.get(nameOf(file)) === file ? `${base}${nameOf(file)}` : null;

  const render = (name: string, file: string): Html => {
    const { title, body } = renderMarkdown(readText(file), {
      file,
      addressOf,
      ...(site.hasGraphiql && { tryAddress: `${site.basePath}/graphql` }),
    });
    const crumbs = name === '' ? null : html`<p class="crumbs"><a href="${base}">All pages</a></p>`;
    const main = html`${crumbs}<article>${body}</article>`;
    return layout({ title: `${title} · ${PRODUCT.name}`, place: 'docs', main });
  };

  const find = (name: string): Html | null => {
    const file = files.get(name);
    if (file === undefined) return null;
    const page = pages.get(name) ?? render(name, file);
    pages.set(name, page);
    return page;
  };

  const moved = (name: string): Answer => ({
    status: 301,
    headers: { location: `${base}${name}`, 'cache-control': 'no-cache' },
    body: null,
  });

  /** The page a reader most likely meant: as a file, or with a slash too few or too many. */
  const findNear = (name: string) =>
    [nameOf(`docs/${name}`), `${name}/`, name.replace(/\/+$/, '')].find((near) => files.has(near));

  const missing = layout({
    title: `No such page · ${PRODUCT.name}`,
    place: 'docs',
    main: html`<h1>There is no such page</h1><p><a href="${base}">All pages</a></p>`,
  });

  return {
    /** A path is what follows `/docs`. */
    answer: async (request: IncomingMessage, path: string): Promise<Answer> => {
      if (path === '') return moved('');
      const name = path.slice(1);
      const page = find(name);
      if (page) return pageAnswer(request, page);
      const near = findNear(name);
      return near === undefined ? pageAnswer(request, missing, { status: 404 }) : moved(near);
    },
  };
};
