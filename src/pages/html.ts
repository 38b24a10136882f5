const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Trusted markup. Any other text is escaped. */
export class Html {
  constructor(readonly markup: string) {}
}

type Piece = string | number | Html | null | readonly Html[];

const markupOf = (piece: Piece): string => {
  if (piece === null) return '';
  if (piece instanceof Html) return piece.markup;
  if (typeof piece === 'object') return piece.map(({ markup }) => markup).join('');
  return escapeHtml(String(piece));
};

/** Inserts texts into markup, escaped. */
export const html = (parts: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(parts.map((part, i) => `${part}${markupOf(pieces[i] ?? null)}`).join(''));

/** JSON for a script element, escaped so that it can't close the element. */
export const jsonFor = (value: unknown): Html =>
  new Html(JSON.stringify(value).replaceAll('<', '\\u003c'));
