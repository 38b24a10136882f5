/** Normalizes to `digits × 10^scale` without leading and trailing zeros: equal for all notations of a number. */
const decimalOf = (text: string): string => {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  // Beyond JavaScript's integers; such numbers are equal only if they are written the same.
  if (exponent.length > 15) return text;

  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';

  const scale = Number(exponent) - fraction.length + digits.length - end;
  return `${mantissa.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${scale}`;
};

/** Whether a JavaScript number represents this JSON number exactly. */
export const isExact = (text: string): boolean =>
  (text.length <= 15 && !/[eE]/.test(text)) || decimalOf(text) === decimalOf(String(Number(text)));

/** A JSON number that no JavaScript number represents exactly; serialized as the text of its digits. */
export class ExactNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  isEqual(other: ExactNumber): boolean {
    return this.#text === other.#text || decimalOf(this.#text) === decimalOf(other.#text);
  }

  toString(): string {
    return this.#text;
  }

  toJSON(): string {
    return this.#text;
  }
}
