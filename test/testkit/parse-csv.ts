/** The cells of RFC 4180 by line; null for an empty cell without quotes. */
export const parseCsv = (text: string): (string | null)[][] => {
  const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const lines: (string | null)[][] = [];
  let line: (string | null)[] = [];
  while (CELL.lastIndex < text.length) {
    const at = CELL.lastIndex;
    const match = CELL.exec(text);
    if (!match) throw new Error(`This is no CSV from character ${at} on.`);
    const [, quoted, bare, end] = match;
    line.push(quoted?.replaceAll('""', '"') ?? (bare || null));
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  return lines;
};
