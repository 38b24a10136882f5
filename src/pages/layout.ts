import type { Assets } from './assets.js';
import { type Html, html } from './html.js';
import { addWebFile, PRODUCT } from './web-files.js';

export type Site = {
  basePath: string;
  hasGraphiql: boolean;
  /** Whether the console is the first page. */
  hasConsole: boolean;
  assets: Assets;
};

/** Null: none of the linked pages. */
export type Place = 'console' | 'start' | 'docs' | 'graphiql' | null;

const linksOf = ({
  basePath,
  hasGraphiql,
  hasConsole,
}: Site): { place: Place; href: string; text: string }[] => [
  hasConsole
    ? { place: 'console', href: `${basePath}/`, text: 'Console' }
    : { place: 'start', href: `${basePath}/`, text: 'Start' },
  ...(hasGraphiql
    ? [{ place: 'graphiql' as const, href: `${basePath}/graphql`, text: 'GraphiQL' }]
    : []),
  { place: 'docs', href: `${basePath}/docs/`, text: 'Docs' },
];

export const navigation = (site: Site, current: Place): Html => html`<nav aria-label="Pages">
<ul>${linksOf(site).map(({ place, href, text }) =>
  place === current
    ? html`<li><a href="${href}" aria-current="page">${text}</a></li>`
    : html`<li><a href="${href}">${text}</a></li>`,
)}</ul>
</nav>`;

export const brand = (site: Site, icon: string): Html =>
  html`<a class="brand" href="${site.basePath}/"><img src="${site.assets.urlOf(icon)}" alt="" width="24" height="24">${PRODUCT.name}</a>`;

export const createLayout = (site: Site) => {
  const { assets } = site;
  const style = assets.urlOf(addWebFile(assets, 'pages', 'css'));
  const icon = addWebFile(assets, 'icon', 'svg');

  return ({
    title,
    place,
    main,
  }: {
    title: string;
    place: Place;
    main: Html;
  }): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.urlOf(icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>${brand(site, icon)}${navigation(site, place)}</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer><p>${PRODUCT.name} ${PRODUCT.version}</p></footer>
</body>
</html>
`;
};

export type Layout = ReturnType<typeof createLayout>;
