import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

const digit = (value: number): string => ALPHABET[value % 32] ?? '';

/** A ULID: 48 bits of timestamp in milliseconds, then 80 random bits. Unleash 7 and newer use them as IDs. */
export const createUlid = (now: number = Date.now()): string => {
  const time = Array.from({ length: TIME_DIGITS }, (_, position) =>
    digit(Math.floor(now / 32 ** (TIME_DIGITS - 1 - position))),
  );
  return [...time, ...Array.from(randomBytes(RANDOM_DIGITS), digit)].join('');
};
