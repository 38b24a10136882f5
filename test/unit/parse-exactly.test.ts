import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ExactNumber, isExact } from '../../src/data/json/exact-number.js';
import { parseExactly } from '../../src/data/json/parse-exactly.js';
import { createRandom, type Random } from '../../src/demo/random.js';
import { difference } from '../../src/domain/events/changes/difference.js';
import { isEqual } from '../../src/domain/events/changes/is-equal.js';
import { isObject } from '../../src/domain/json.js';
import { applyChanges } from '../testkit/apply-changes.js';
import { changedJson, randomJson } from '../testkit/json-pairs.js';

/** Uses the exact parser, which is triggered by a number that requires it. */
const parseWithExactParser = (json: string): unknown =>
  parseExactly<unknown[]>(`[${json},1e400]`)[0];

const digits = (random: Random, max: number) =>
  Array.from({ length: random.int(1, max) }, () => random.int(0, 9)).join('');
/** A random JSON number; many of them differ only in their last digits. */
const randomNumber = (random: Random): string => {
  const whole = random.pick(['0', '1', '9007199254740992', `1${digits(random, 22)}`]);
  const fraction = random.int(0, 2) === 0 ? `.${digits(random, 22)}` : '';
  const exponent =
    random.int(0, 2) === 0 ? `${random.pick(['e', 'E+', 'e-'])}${random.int(0, 400)}` : '';
  return `${random.pick(['', '-'])}${whole}${fraction}${exponent}`;
};

/** The exact value of a number, as a fraction of integers. */
const fractionOf = (text: string): [bigint, bigint] => {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = Number(exponent) - fraction.length;
  const power = 10n ** BigInt(Math.abs(scale));
  const value = BigInt(whole + fraction);
  return scale < 0 ? [value, power] : [value * power, 1n];
};
const isSameNumber = (one: string, other: string): boolean => {
  const [[a, b], [c, d]] = [fractionOf(one), fractionOf(other)];
  return a * d === c * b;
};

describe('exact JSON parsing', () => {
  test.each([
    ['9007199254740993', false],
    ['9007199254740992', true],
    ['1e400', false],
    ['-1E-400', false],
    ['0.1', true],
    ['0.10', true],
    ['0.1000000000000000055511151231257827', false],
    ['0.30000000000000004', true],
    ['1e21', true],
    ['1000000000000000000000', true],
    ['100.00000000000000000000', true],
    ['-0', true],
    ['0e999999999999', true],
    ['1e99999999999999999999', false],
    ['5e-324', true],
    ['1.7976931348623157e308', true],
  ])('treats %s as a JavaScript number: %s', (text, isOne) => {
    expect(isExact(text)).toBe(isOne);
    const read = parseWithExactParser(text);
    expect(read instanceof ExactNumber).toBe(!isOne);
    if (isOne) expect(read === Number(text)).toBe(true);
    else expect(JSON.stringify({ read })).toBe(`{"read":"${text}"}`);
  });

  test('compares numbers by their exact value', () => {
    const random = createRandom(53);
    const counted = { true: 0, false: 0 };
    for (let round = 0; round < 5_000; round += 1) {
      const one = randomNumber(random);
      const near = one.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
      const zeros = `${one.replace(/^(-?\d+)(?=$|[eE])/, '$1.0').replace(/(?=[eE]|$)/, '00')}`;
      const other = random.pick([one, near, zeros, randomNumber(random), String(Number(one))]);
      if (!/\d/.test(other)) continue;
      const isSame = isSameNumber(one, other);
      const message = `${one} and ${other}`;
      expect(isEqual(parseWithExactParser(one), parseWithExactParser(other)), message).toBe(isSame);
      expect(
        difference(parseWithExactParser(one), parseWithExactParser(other)).length === 0,
        message,
      ).toBe(isSame);
      counted[`${isSame}`] += 1;
    }
    expect(Math.min(counted.true, counted.false)).toBeGreaterThan(1_000);
  });

  test('returns the same as JSON.parse when all numbers are ordinary', () => {
    const random = createRandom(7);
    for (let round = 0; round < 3_000; round += 1) {
      const json = JSON.stringify(randomJson(random, 4), null, random.int(0, 2));
      expect(isDeepStrictEqual(parseWithExactParser(json), JSON.parse(json)), json).toBe(true);
      expect(isDeepStrictEqual(parseExactly(json), JSON.parse(json)), json).toBe(true);
    }
    for (const text of [
      String.raw`{"__proto__":{"a":1},"a":1,"a":[2],"":"\\","b":"\\\"]","\"":"\u0000\ud83d"}`,
      '{}',
      '[[],{},[{}]]',
      ' [ true , false,null , "1e400" ] ',
    ]) {
      expect(isDeepStrictEqual(parseWithExactParser(text), JSON.parse(text)), text).toBe(true);
    }
  });

  test('keeps differences applicable with such numbers', () => {
    const random = createRandom(400);
    const texts = [
      '9007199254740993',
      '9007199254740992',
      '1e400',
      '10e399',
      '0.1',
      '-1e400',
    ] as const;
    /** Replaces some numbers with those of `texts`. */
    const withOdd = (value: unknown): unknown =>
      parseWithExactParser(
        JSON.stringify(value).replace(/(?<=:)-?[\d.]+(?=[,}])/g, (number) =>
          random.int(0, 1) ? number : random.pick(texts),
        ),
      );
    let unusual = 0;
    for (let round = 0; round < 2_000; round += 1) {
      const start = randomJson(random, 4);
      const [before, after] = [withOdd(start), withOdd(changedJson(random, start))];
      const changes = difference(before, after);
      const message = JSON.stringify({ before, after, changes });
      expect(isEqual(applyChanges(before, changes), after), message).toBe(true);
      expect(changes.length === 0, message).toBe(isEqual(before, after));
      unusual += changes.filter(({ after: value }) => value instanceof ExactNumber).length;
    }
    expect(unusual).toBeGreaterThan(100);
  });

  test('represents such a number neither as an object nor as its text', () => {
    const [number, same, text, object] = parseExactly<unknown[]>(
      '[9007199254740993,9007199254740993.0,"9007199254740993",{"text":"9007199254740993"}]',
    );
    expect(isObject(number)).toBe(false);
    expect(difference(number, same)).toEqual([]);
    expect(difference(number, text)).toHaveLength(1);
    expect(difference(number, object)).toHaveLength(1);
    expect(difference({ a: number }, { a: {} }).map(({ path }) => path)).toEqual(['a']);
  });

  test('parses any depth, and numbers and texts of any length', () => {
    expect(isExact(`1${'0'.repeat(1_000_000)}1`)).toBe(false);
    expect(isExact(`1.${'0'.repeat(1_000_000)}`)).toBe(true);
    const depth = 100_000;
    let value = parseExactly<unknown>(`${'[{"k":'.repeat(depth)}1e400${'}]'.repeat(depth)}`);
    for (let level = 0; level < depth; level += 1) value = (value as [{ k: unknown }])[0].k;
    expect(String(value)).toBe('1e400');
    const long = `${String.raw`\"\\`.repeat(2_000_000)}`;
    expect(parseWithExactParser(`"${long}"`)).toBe(String.raw`"\\`.slice(0, 2).repeat(2_000_000));
  });
});
