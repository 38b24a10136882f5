const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [91, 93, 123, 125];

/** Limits of a JSON text that is not parsed yet. */
export type JsonShape = {
  /** Levels of lists and objects. */
  depth: number;
  /** Commas, and likewise opening brackets. There are at least as many values. */
  values: number;
};

/** Where the string that begins before `start` ends. Infinity if it does not. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    const isEscaped = (end - first) % 2 === 1;
    if (!isEscaped) return end;
  }
  return Number.POSITIVE_INFINITY;
};

/** Whether a JSON text is nested deeper or has more values than allowed. Parsing a million brackets takes 200 ms. */
export const exceedsShape = (text: string, shape: JsonShape): boolean => {
  let [depth, commas, brackets] = [0, 0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index + 1);
    else if (code === COMMA) {
      commas += 1;
      if (commas > shape.values) return true;
    } else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      depth += 1;
      brackets += 1;
      if (depth > shape.depth || brackets > shape.values) return true;
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth -= 1;
  }
  return false;
};
