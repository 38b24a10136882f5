const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Markup that is meant as such; every other text is escaped. */
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

/** Puts texts into markup, escaped. */
export const html = (parts: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(parts.map((part, i) => `${part}${markupOf(pieces[i] ?? null)}`).join(''));

/** Data for a script, in a form that cannot end the element it stands in. */
export const jsonFor = (value: unknown): Html =>
  new Html(JSON.stringify(value).replaceAll('<', '\\u003c'));
