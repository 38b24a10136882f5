// Finds the words of `language.json` in texts that people read: documentation, schema descriptions, messages, comments,
// texts of the console and test titles. Code is not checked: identifiers, and strings without a space, which are values.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './is-stale.mjs';
import { report } from './report.mjs';
import { blank, scan } from './scan-code.mjs';

const FOLDERS = [
  'bench',
  'client',
  'console',
  'docs',
  'examples',
  'faults',
  'parity',
  'scripts',
  'src',
  'test',
  'web',
];
const CHECKED =
  /^([A-Z]+\.md|schema\.graphql|(client|docs|examples)\/.*\.md|(src|test|client|console|parity|faults|bench)\/.*\.(ts|tsx|js|mjs)|scripts\/[^/]*\.mjs|(web|console)\/.*\.(js|css))$/;
const SKIPPED = new Set(['.originals', 'dist', 'generated', 'node_modules', 'results']);

const language = JSON.parse(readFileSync(new URL('language.json', import.meta.url), 'utf8'));

const withoutInlineCode = (text) => text.replaceAll(/`[^`\n]+`/g, blank);

const BEFORE_TITLE = /(?:\b(?:describe|it|test)(?:\.\w+)*|\))\($/;
const isComment = ({ kind }) => kind === 'comment';
const isString = ({ kind }) => kind === 'string';
const isMessage = ({ text }) => text.includes(' ');
const isTitle = ({ before }) => BEFORE_TITLE.test(before);

const codeParts = (text, isChecked) =>
  scan(text).flatMap((part) => {
    if (isComment(part)) return [{ ...part, text: withoutInlineCode(part.text) }];
    return isString(part) && isChecked(part) ? [part] : [];
  });

// Between two tags, or a tag and a value. Code can match, too, but rarely contains words of the list.
const JSX_TEXT = /(?<=[>}])[^<>{}=;]*\s[^<>{}=;]*(?=[<{])/g;

const jsxParts = (text) =>
  [...text.matchAll(JSX_TEXT)].map(({ 0: match, index }) => ({ start: index, text: match }));

const SDL_PROSE = /"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|#.*/g;

const partsOf = (file, text) => {
  if (file.endsWith('.md')) return [{ start: 0, text: withoutInlineCode(text) }];
  if (file.endsWith('.graphql'))
    return [...text.matchAll(SDL_PROSE)].map(({ 0: match, index }) => ({
      start: index,
      text: withoutInlineCode(match),
    }));
  const parts = codeParts(text, file.endsWith('.test.ts') ? isTitle : isMessage);
  return file.endsWith('.tsx') ? [...parts, ...jsxParts(text)] : parts;
};

// A line break in a comment may separate the words of a phrase. Parts of a path, such as `told-later.ts`, don't count.
const BREAK = /[\s*/#]+/g;
const patternOf = (words) => {
  const phrases = Object.keys(words).map((word) => word.replaceAll(' ', BREAK.source));
  return new RegExp(`(?<![\\w$@./-])(?:${phrases.join('|')})(?![\\w$/(-]|\\.\\w)`, 'gi');
};

/** Finds the discouraged words of a file, each with its line and a suggestion. */
export const findDiscouraged = (file, text, { words, exceptions } = language) => {
  const lines = text.split('\n');
  const allowed = exceptions.filter((exception) => exception.file === file);
  const pattern = patternOf(words);
  return partsOf(file, text)
    .flatMap((part) =>
      [...part.text.matchAll(pattern)].map(({ 0: match, index }) => {
        const line = text.slice(0, part.start + index).split('\n').length;
        const word = match.toLowerCase().replaceAll(BREAK, ' ');
        return { line, word, suggestion: words[word] };
      }),
    )
    .filter(({ line }) => !allowed.some((exception) => lines[line - 1].includes(exception.text)));
};

const filesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return CHECKED.test(path) ? [path] : [];
    const isWanted = folder === '' ? FOLDERS.includes(path) : !SKIPPED.has(entry.name);
    return isWanted ? filesIn(path) : [];
  });

if (process.argv[1]?.endsWith('check-language.mjs')) {
  const hits = filesIn('').flatMap((file) =>
    findDiscouraged(file, readFileSync(join(root, file), 'utf8')).map(
      ({ line, word, suggestion }) => `${file}:${line}: ${word} → ${suggestion}`,
    ),
  );
  if (hits.length > 0) {
    report(hits.join('\n'));
    report(
      'Use the suggested words, or add an exception with its reason to scripts/language.json.',
    );
    process.exitCode = 1;
  }
}
