/** A number of digits as `digits × 10^scale`, without the zeros at its ends: the same for all ways to write it. */
const decimalOf = (text: string): string => {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  // Only beyond what JavaScript can count with; such a one is the same only if it is written the same.
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

/** Whether a number of JavaScript stands for exactly what this number of JSON says. */
export const isExact = (text: string): boolean =>
  (text.length <= 15 && !/[eE]/.test(text)) || decimalOf(text) === decimalOf(String(Number(text)));

/** A number of JSON that would become another one as a number of JavaScript; it is shown as the text of its digits. */
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
