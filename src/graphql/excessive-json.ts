import { OPERATION_LIMITS } from './document-limits.js';

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/**
 * Whether `excessOfRequest` would reject the parsed value in any case. Parsing a body of a million brackets takes
 * 200 ms, and this takes 3.
 */
export const isExcessiveJson = (text: string): boolean => {
  const { variableDepth, variableValues } = OPERATION_LIMITS;
  // There are at least as many values, in the variables and in the other parts, as commas, and as brackets but one.
  const maxValues = 2 * variableValues;
  let [depth, commas, brackets, isText] = [0, 0, 0, false];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isText) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === COMMA) commas += 1;
    else if (OPENING.has(code)) {
      depth += 1;
      brackets += 1;
    } else if (CLOSING.has(code)) depth -= 1;
    if (depth > variableDepth + 3 || commas > maxValues || brackets > maxValues + 1) return true;
  }
  return false;
};
