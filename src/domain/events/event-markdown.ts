import { cut } from '../cut.js';
import { ExactNumber } from '../exact-number.js';

const MAX_VALUE = 200;
const MAX_SEGMENT = 300;
const MAX_PATH = 500;

/** One line without control characters and without marks that reverse the direction of reading. */
const toLine = (text: string): string => {
  if (/^[!-~]*$/.test(text)) return text;

  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
};

/** A scalar as one short line; empty for everything that has no text of its own. */
export const plain = (value: unknown, max = MAX_VALUE): string => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = value instanceof ExactNumber ? String(value) : value;
  if (typeof text !== 'string') return '';
  return toLine(cut(text, max));
};

/** Makes text mean itself in Markdown, GitHub's bare web addresses included. */
export const escapeMarkdown = (text: string): string => {
  if (/^[a-z0-9 @,-]*$/i.test(text)) return text;

  return (
    text
      .replace(/[\\`*[\]<>~]/g, '\\$&')
      // Inside a word an underscore is never emphasis, and names are full of them.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      .replace(/&(?=#?\w+;)/g, '\\&')
      .replace(/:(?=\/\/)/g, '\\:')
      .replace(/(www)\./gi, '$1\\.')
  );
};

/** For text that opens a line, where a few more characters would start a list or a heading. */
export const escapeLineStart = (text: string): string =>
  escapeMarkdown(text)
    .replace(/^(?:[-+]|#{1,6})(?= |$)/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?= |$)/, '$1\\$2');

export const markdown = (value: unknown): string => escapeMarkdown(plain(value));

const encodeSegment = (segment: string): string => {
  if (/^[\w.-]*$/.test(segment)) return segment;

  return encodeURIComponent(segment.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
};

const isLinkable = (segment: string): boolean =>
  segment.length <= MAX_SEGMENT && !['', '.', '..'].includes(segment.trim());

/** A Markdown link below `base`, or the bare text when no honest address can be made of the path. */
export const link = (text: string, base: string, path: readonly string[]): string => {
  if (!path.every(isLinkable)) return text;

  const target = path.map(encodeSegment).join('/');
  return target.length > MAX_PATH ? text : `[${text}](${base}/${target})`;
};
