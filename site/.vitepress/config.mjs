import { slug } from 'github-slugger';
import { OUTPUT, PAGES } from '../src/folders.mjs';
import { openInGraphiql } from '../src/open-in-graphiql.mjs';
import { repositoryLinks } from '../src/repository-links.mjs';
import { sidebarOf } from '../src/sidebar.mjs';

// The gateway replaces these when it serves a page: they depend on its settings.
const BASE_PATH = '/__BASE_PATH__';
const GRAPHIQL = '__GRAPHIQL__';
const CONSOLE = '__CONSOLE__';

/** @type {import('vitepress').UserConfig} */
export default {
  title: 'flaggraph',
  description: 'GraphQL for Unleash: one typed API over the admin data of Unleash.',
  lang: 'en',
  base: `${BASE_PATH}/docs/`,
  srcDir: PAGES,
  outDir: OUTPUT,
  cleanUrls: true,
  // Without it, every page has an inline script that changes with every build.
  metaChunk: true,
  // The transition is disabled with an inline style, which the Content-Security-Policy blocks.
  appearance: { disableTransition: false },
  head: [
    ['link', { rel: 'icon', href: `${BASE_PATH}/docs/icon.svg`, type: 'image/svg+xml' }],
    ['meta', { name: 'graphiql', content: GRAPHIQL }],
    ['meta', { name: 'console', content: CONSOLE }],
  ],
  markdown: {
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { caddyfile: 'nginx' },
    anchor: { slugify: slug },
    config: (md) => {
      md.use(repositoryLinks);
      md.use(openInGraphiql);
    },
  },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Questions', link: '/guides/questions/' },
      { text: 'Schema', link: '/reference/schema/' },
      { text: 'REST', link: '/openapi', target: '_self' },
    ],
    sidebar: sidebarOf(PAGES),
    outline: [2, 3],
    search: { provider: 'local' },
    notFound: {
      title: 'This page does not exist',
      quote: 'Search for it, or start from the front page.',
      linkText: 'Go to the front page',
      linkLabel: 'Go to the front page',
    },
  },
};
