import { existsSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { PAGES, REPOSITORY } from './folders.mjs';
import { fileOf, pageOf } from './repository-pages.mjs';

const HAS_SCHEME = /^([a-z][a-z0-9+.-]*:|#|\/)/i;

/** Converts a link of the repository to a link between pages. Null if its target is not a page. */
export const pageLink = (page, href) => {
  if (HAS_SCHEME.test(href)) return href;
  const [path, anchor] = href.split('#');
  const file = posix.join(posix.dirname(fileOf(page)), decodeURI(path)).replace(/\/$/, '');
  const target = pageOf(file);
  if (target === null) {
    if (existsSync(join(REPOSITORY, file))) return null;
    throw new Error(`${fileOf(page)} links to ${href}, which does not exist.`);
  }
  const link = posix.relative(posix.dirname(page), target);
  return `${link.startsWith('.') ? '' : './'}${link}${anchor === undefined ? '' : `#${anchor}`}`;
};

const withPageLinks = (page, tokens) => {
  let isDropping = false;
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      const href = pageLink(page, token.attrGet('href') ?? '');
      isDropping = href === null;
      if (href !== null) token.attrSet('href', href);
      return !isDropping;
    }
    if (token.type !== 'link_close' || !isDropping) return true;
    isDropping = false;
    return false;
  });
};

/** Rewrites links of the repository to pages of the site; links to other files become plain text. */
export const repositoryLinks = (md) => {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    // Titles of containers are rendered on their own, without a path.
    if (env.path === undefined) return;
    const page = relative(PAGES, env.path).split(sep).join('/');
    for (const token of tokens) {
      if (token.children) token.children = withPageLinks(page, token.children);
    }
  });
};
