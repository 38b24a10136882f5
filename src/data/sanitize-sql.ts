/** Longest statement text in a span. */
const MAX_CHARACTERS = 2_000;

// Strings with and without escapes, dollar-quoted strings, comments, numbers; identifiers and parameters are kept.
const TOKENS =
  /"(?:[^"]|"")*"|\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|\$\d+|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|[\p{L}_][\p{L}\w$]*|\d+(?:\.\d+)?(?:e[+-]?\d+)?/gisu;

const isPreserved = (token: string): boolean => /^("|\$\d+$|[\p{L}_][^']*$)/u.test(token);

const replace = (token: string): string => {
  if (isPreserved(token)) return token;
  return token.startsWith('--') || token.startsWith('/*') ? '' : '?';
};

/** The text of a statement with its parameters as placeholders and without literals and comments. */
export const sanitizeSql = (sql: string): string => {
  const text = sql.replace(TOKENS, replace).replace(/\s+/g, ' ').trim();
  // Cut last: half a literal would not be recognized.
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
};

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['select', 'select'],
  ['insert', 'insert'],
  ['update', 'update'],
  ['delete', 'delete'],
  ['begin', 'begin'],
  ['commit', 'commit'],
  ['rollback', 'rollback'],
]);

/** A statement with common table expressions is named after the first of them that writes. */
const operationOfWith = (sql: string): string =>
  /\b(insert|update|delete)\s/i.exec(sql)?.[1]?.toLowerCase() ?? 'select';

/** The kind of a statement, from a fixed list. */
export const sqlOperation = (sql: string): string => {
  const keyword = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? '';
  return keyword === 'with' ? operationOfWith(sql) : (OPERATIONS.get(keyword) ?? 'other');
};
