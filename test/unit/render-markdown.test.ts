import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/pages/render-markdown.js';

const PAGES = ['README.md', 'docs/index.md', 'docs/other.md', 'docs/deep/page.md'];

const render = (text: string, file = 'docs/page.md', tryAddress?: string) =>
  renderMarkdown(text, {
    file,
    addressOf: (path) => (PAGES.includes(path) ? `/base/${path}` : null),
    ...(tryAddress !== undefined && { tryAddress }),
  });

test('headings have the anchors they have in the repository', () => {
  const { body, title } = render(
    '# The `first` one\n## Search events\n## Search events\n## A & B: *c*',
  );
  expect(title).toBe('The first one');
  expect([...body.markup.matchAll(/id="([^"]*)"/g)].map(([, id]) => id)).toEqual([
    'the-first-one',
    'search-events',
    'search-events-1',
    'a--b-c',
  ]);
});

test.each([
  ['[a](other.md)', 'docs/page.md', 'href="/base/docs/other.md"'],
  ['[a](other.md#part)', 'docs/page.md', 'href="/base/docs/other.md#part"'],
  ['[a](../other.md)', 'docs/deep/page.md', 'href="/base/docs/other.md"'],
  ['[a](../README.md#settings)', 'docs/page.md', 'href="/base/README.md#settings"'],
  ['[a](docs/deep/page.md)', 'README.md', 'href="/base/docs/deep/page.md"'],
  ['[a](#here)', 'docs/page.md', 'href="#here"'],
  ['[a](https://example.com/?a=1&b=2)', 'docs/page.md', 'href="https://example.com/?a=1&amp;b=2"'],
])('%s in %s leads to where it should', (text, file, expected) => {
  expect(render(text, file).body.markup).toContain(expected);
});

test('a link to a file that is no page is only its text', () => {
  expect(render('See [the table](../bench/table.md).').body.markup).toBe('<p>See the table.</p>\n');
});

test('markup in a page is shown, not obeyed', () => {
  const { markup } = render('<script>alert(1)</script>\n\na <b onclick="x">b</b> `<i>`').body;
  expect(markup).not.toMatch(/<(script|b|i)\b/);
  for (const shown of ['&lt;script&gt;alert(1)&lt;/script&gt;', '&lt;b onclick=', '&lt;i&gt;']) {
    expect(markup).toContain(shown);
  }
});

test('a query leads to GraphiQL where there is one', () => {
  const text = '```graphql\n{ a(b: "c") }\n```';
  const link = '<a href="/graphql#query=%7B%20a(b%3A%20%22c%22)%20%7D">Open in GraphiQL</a>';
  expect(render(text, 'docs/page.md', '/graphql').body.markup).toContain(link);
  expect(render(text).body.markup).not.toContain('GraphiQL');
});

test('what may be wider than the page can be scrolled by keyboard', () => {
  const { markup } = render('|a|b|\n|---|---|\n|1|2|\n\n```sh\nls\n```').body;
  expect(markup).toMatch(/<div class="table"[^>]* tabindex="0"><table>/);
  expect(markup).toContain('<pre tabindex="0"><code>ls</code></pre>');
});
