import { ExactNumber } from '../../data/json/exact-number.js';
import { truncate } from '../truncate.js';

const MAX_VALUE = 200;
const MAX_SEGMENT = 300;
const MAX_PATH = 500;

/** Collapses to one line, without control characters and bidirectional overrides. */
const toLine = (text: string): string => {
  if (/^[!-~]*$/.test(text)) return text;

  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
};

/** A scalar as one short line; empty for all other values. */
export const plain = (value: unknown, max = MAX_VALUE): string => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = value instanceof ExactNumber ? String(value) : value;
  if (typeof text !== 'string') return '';
  return toLine(truncate(text, max));
};

/** Escapes Markdown, including GitHub's autolinks. */
export const escapeMarkdown = (text: string): string => {
  if (/^[a-z0-9 @,-]*$/i.test(text)) return text;

  return (
    text
      .replace(/[\\`*[\]<>~]/g, '\\$&')
      // An underscore inside a word is never emphasis, and names are full of them.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      .replace(/&(?=#?\w+;)/g, '\\&')
      .replace(/:(?=\/\/)/g, '\\:')
      .replace(/(www)\./gi, '$1\\.')
  );
};

/** Also escapes characters that would start a list or a heading. */
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

/** A Markdown link below `base`, or the plain text if the path cannot be linked. */
export const link = (text: string, base: string, path: readonly string[]): string => {
  if (!path.every(isLinkable)) return text;

  const target = path.map(encodeSegment).join('/');
  return target.length > MAX_PATH ? text : `[${text}](${base}/${target})`;
};
