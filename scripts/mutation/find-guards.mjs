import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../is-stale.mjs';
import { blank, scan } from '../scan-code.mjs';

const FOLDERS = ['domain', 'auth', 'http', 'graphql', 'rest', 'data'];

const codeOf = (text) =>
  scan(text).reduce(
    (code, part) =>
      code.slice(0, part.start) + blank(part.text) + code.slice(part.start + part.text.length),
    text,
  );

const endOfParentheses = (code, start) => {
  let depth = 1;
  let at = start;
  for (; depth > 0; at += 1) depth += { '(': 1, ')': -1 }[code[at]] ?? 0;
  return at - 1;
};

/** The guards of a file: each `if` whose branch starts with `throw` or `return`. */
const guardsOf = (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const code = codeOf(text);
  return [...code.matchAll(/\bif \(/g)].flatMap(({ 0: match, index }) => {
    const start = index + match.length;
    const end = endOfParentheses(code, start);
    if (!/^\)\s*(?:\{\s*)?(?:throw|return)\b/.test(code.slice(end, end + 500))) return [];
    const line = text.slice(0, index).split('\n').length;
    return [{ id: `${file}:${line}`, file, start, end, condition: text.slice(start, end) }];
  });
};

const filesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'generated' ? [] : filesIn(path);
    return path.endsWith('.ts') ? [path] : [];
  });

/** All guards, one list per folder of `src`; two on the same line count once, because the line is the ID. */
export const findGuards = () =>
  FOLDERS.map((folder) => {
    const guards = filesIn(`src/${folder}`).sort().flatMap(guardsOf);
    return [...new Map(guards.map((guard) => [guard.id, guard])).values()];
  });

/** Numbers between 0 and 1 that are the same for the same seed (mulberry32). */
const seeded = (seed) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Takes guards from the folders in turn, in random order within a folder. */
export const pickGuards = (folders, count, seed) => {
  const random = seeded(seed);
  const remaining = folders.map((guards) => [...guards]);
  const picked = [];
  while (picked.length < count && remaining.some((guards) => guards.length > 0)) {
    for (const guards of remaining) {
      if (guards.length === 0 || picked.length === count) continue;
      picked.push(...guards.splice(Math.floor(random() * guards.length), 1));
    }
  }
  return picked.sort((a, b) => (a.id < b.id ? -1 : 1));
};
