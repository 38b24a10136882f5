import { expect, test } from 'vitest';
import { findDiscouraged } from '../../scripts/check-language.mjs';

const LANGUAGE = {
  words: { nobody: 'no client', 'gave up': 'stopped' },
  exceptions: [{ file: 'docs/a.md', text: 'Nobody, Inc.', reason: 'A name.' }],
};
const find = (file: string, text: string) =>
  findDiscouraged(file, text, LANGUAGE).map(({ line, word }) => `${line}: ${word}`);

test.each([
  ['Markdown', 'docs/a.md', '# Title\n\nNobody reads this.\n', ['3: nobody']],
  [
    'a description',
    'schema.graphql',
    'type A {\n  """\n  For nobody.\n  """\n  b: Int\n}\n',
    ['3: nobody'],
  ],
  [
    'a short description',
    'schema.graphql',
    'type A {\n  "For nobody."\n  b: Int\n}\n',
    ['2: nobody'],
  ],
  ['a message', 'src/a.ts', "const x = 1;\nthrow new Error('Nobody is there.');\n", ['2: nobody']],
  [
    'a message with values',
    'src/a.ts',
    `log(\`\${a({ b: \`\${c}\` })} found nobody \${d}\`);\n`,
    ['1: nobody'],
  ],
  ['a comment', 'src/a.ts', '// For nobody.\nconst a = 1;\n', ['1: nobody']],
  [
    'a comment of several lines',
    'src/a.ts',
    '/**\n * It gave\n * up for nobody.\n */\n',
    ['2: gave up', '3: nobody'],
  ],
  ['a test title', 'test/unit/a.test.ts', "test('greets nobody', () => {});\n", ['1: nobody']],
  [
    'the title of a table of tests',
    'test/unit/a.test.ts',
    "test.each([1])('greets nobody', f);\n",
    ['1: nobody'],
  ],
  [
    'a text of the console',
    'console/src/a.tsx',
    'const A = () => (\n  <p>\n    Read by nobody, or {count}.\n  </p>\n);\n',
    ['3: nobody'],
  ],
  ['a comment of a style sheet', 'web/a.css', 'a {\n  /* For nobody. */\n}\n', ['2: nobody']],
])('finds a discouraged word in %s', (_where, file, text, found) => {
  expect(find(file, text)).toEqual(found);
});

test.each([
  ['clean text', 'docs/a.md', 'The gateway returns 503.\n'],
  ['inline code', 'docs/a.md', 'Set `nobody` as the user.\n'],
  ['a longer word', 'docs/a.md', 'A nobody-knows.md file, nobodyElse.\n'],
  ['a listed exception', 'docs/a.md', 'By Nobody, Inc.\n'],
  ['a field', 'schema.graphql', 'type A {\n  nobody: Int\n}\n'],
  ['identifiers', 'src/a.ts', 'const nobody = (gave: up) => nobody.nobody / 2 / nobody;\n'],
  ['values and paths', 'src/a.ts', "import a from './nobody.js';\nconst user = 'nobody';\n"],
  ['code in a template', 'src/a.ts', `log(\`a \${nobody({ b })} c\`, nobody);\n`],
  ['code after a regular expression', 'src/a.ts', "f(/['\"`]/, nobody, /[/']/);\n"],
  ['code of a component', 'console/src/a.tsx', 'const A = () => <a b={nobody}>{nobody} c</a>;\n'],
  ['data of a test', 'test/unit/a.test.ts', "test('greets', () => greet('to nobody'));\n"],
])('accepts %s', (_title, file, text) => {
  expect(find(file, text)).toEqual([]);
});

test('has a suggestion for each word', () => {
  expect(findDiscouraged('README.md', 'He gave\nup.')).toEqual([
    { line: 1, word: 'he', suggestion: expect.any(String) },
    { line: 1, word: 'gave up', suggestion: expect.any(String) },
  ]);
});
