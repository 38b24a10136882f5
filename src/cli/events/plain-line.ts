/** One line that tells a terminal nothing but its letters: no control characters, no marks that turn the direction. */
export const toPlainLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();

/** What a reader sees of a line of Markdown: links without their addresses, no escapes, no emphasis. */
export const withoutMarkdown = (markdown: string): string =>
  markdown
    .replace(/\[((?:\\.|[^\\[\]])*)\]\([^()\s]*\)/g, '$1')
    .replace(
      /\\([!-/:-@[-`{-~])|\*{1,3}|`+/g,
      (_mark, escaped: string | undefined) => escaped ?? '',
    );
