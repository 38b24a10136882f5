import { posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked, type Tokens } from 'marked';
import { escapeHtml, Html } from './html.js';

export type MarkdownOptions = {
  /** Path of the file in the repository, such as `docs/questions/what-changed.md`. */
  file: string;
  /** Address of another file of the repository; null when it is no page. */
  addressOf: (file: string) => string | null;
  /** Address at which a query can be tried out; absent where it cannot. */
  tryAddress?: string;
};

export type RenderedPage = { title: string; body: Html };

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

const plain = (text: string) => text.replace(/[`*]/g, '');

/** Turns a page of the documentation into markup, with the anchors and links that its readers know from the repository. */
export const renderMarkdown = (
  text: string,
  { file, addressOf, tryAddress }: MarkdownOptions,
): RenderedPage => {
  const slugs = new GithubSlugger();
  let title = '';

  /** Null for what is in the repository but not among the pages. */
  const follow = (href: string): string | null => {
    if (SCHEME.test(href) || href.startsWith('#')) return href;
    const [path = '', anchor] = href.split('#');
    const address = addressOf(posix.join(posix.dirname(file), path));
    return address && `${address}${anchor === undefined ? '' : `#${anchor}`}`;
  };

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: source }: Tokens.Heading) {
        if (depth === 1 && title === '') title = plain(source);
        const id = slugs.slug(plain(source));
        return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const label = this.parser.parseInline(tokens);
        const target = follow(href);
        return target === null ? label : `<a href="${escapeHtml(target)}">${label}</a>`;
      },
      image({ text: label }: Tokens.Image) {
        return `<em>${escapeHtml(label)}</em>`;
      },
      code({ text: source, lang }: Tokens.Code) {
        const block = `<pre tabindex="0"><code>${escapeHtml(source)}</code></pre>\n`;
        if (lang !== 'graphql' || tryAddress === undefined) return block;
        const address = `${tryAddress}#query=${encodeURIComponent(source)}`;
        return `${block}<p class="try"><a href="${escapeHtml(address)}">Open in GraphiQL</a></p>\n`;
      },
      html({ text: source }: Tokens.HTML | Tokens.Tag) {
        return escapeHtml(source);
      },
    },
  });
  const body = (marked.parse(text) as string)
    .replaceAll(
      '<table>',
      '<div class="table" role="group" aria-label="Table" tabindex="0"><table>',
    )
    .replaceAll('</table>', '</table></div>');
  return { title: title || file, body: new Html(body) };
};
