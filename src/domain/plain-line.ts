/** One line of plain text, without control characters and direction marks that a terminal would interpret. */
export const toPlainLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();

const UNSAFE = /[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Multi-line text without control characters and direction marks. */
export const toPlainText = (text: string): string => text.toWellFormed().replace(UNSAFE, '\ufffd');

const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON for a terminal. Also escapes the control characters and direction marks that JSON allows. */
export const toPlainJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(UNSAFE, escapeUnit);

/** A copy in which every string is safe to print. */
export const withPlainTexts = <Value>(value: Value): Value => {
  const copy = (part: unknown): unknown => {
    if (typeof part === 'string') return toPlainText(part);
    if (Array.isArray(part)) return part.map(copy);
    if (!isPlainObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, copy(inner)]));
  };
  return copy(value) as Value;
};

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The visible text of a line of Markdown: no link targets, escapes or emphasis. */
export const withoutMarkdown = (markdown: string): string =>
  markdown
    .replace(/\[((?:\\.|[^\\[\]])*)\]\([^()\s]*\)/g, '$1')
    .replace(
      /\\([!-/:-@[-`{-~])|\*{1,3}|`+/g,
      (_mark, escaped: string | undefined) => escaped ?? '',
    );
