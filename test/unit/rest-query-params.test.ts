import { describe, expect, test } from 'vitest';
import {
  isFilter,
  parseQuery,
  readDayEnd,
  readDayStart,
  readFilter,
  readIntegerFilter,
  readPage,
  readText,
} from '../../src/rest/query-params.js';
import { cpuMsOf } from '../testkit/cpu-time.js';

const DOCUMENTED = /^(IS|IS_ANY_OF):(.*?)(,([a-zA-Z0-9_]+))*$/u;
const ALPHABET = [
  ...['I', 'S', '_', 'ANY', 'OF', ':', ',', 'a', '9', ' ', '-', '\t', '\0', 'é', '😀', '\ud83d'],
  ...['\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f'],
];

const wordsOf = (length: number): string[] =>
  length === 0
    ? ['']
    : wordsOf(length - 1).flatMap((word) => ALPHABET.map((letter) => word + letter));

// A small deterministic generator, so that failures can be reproduced.
const createRandom = (seed: number) => {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

describe('filter strings', () => {
  test('are accepted exactly when the documented pattern accepts them, over all short strings', () => {
    const shortWords = [0, 1, 2, 3].flatMap(wordsOf);
    const candidates = ['', 'IS:', 'IS_ANY_OF:', 'IS_', 'is:'].flatMap((prefix) =>
      shortWords.map((word) => prefix + word),
    );
    expect(candidates.filter((text) => isFilter(text) !== DOCUMENTED.test(text))).toEqual([]);
    expect(candidates.filter(isFilter).length).toBeGreaterThan(1000);
  });

  test('are accepted exactly when the documented pattern accepts them, over random strings', () => {
    const random = createRandom(20_250_101);
    const candidates = Array.from({ length: 50_000 }, () => {
      const prefix = ['IS:', 'IS_ANY_OF:', 'IS', ''][random(4)] ?? '';
      const tail = Array.from({ length: random(14) }, () => ALPHABET[random(ALPHABET.length)]);
      return prefix + tail.join('');
    });
    expect(candidates.filter((text) => isFilter(text) !== DOCUMENTED.test(text))).toEqual([]);
  });

  test.each([
    ['IS:web', ['web']],
    ['IS:a,b', ['a', 'b']],
    ['IS_ANY_OF: a , b\t', ['a', 'b']],
    ['IS_ANY_OF:a,,b,', ['a', '', 'b']],
    ['IS: ', ['']],
    ['IS:a:b', ['a:b']],
    ['IS:null', ['null']],
    ['IS:a,a', ['a']],
    ['IS:', undefined],
    ['IS_ANY_OF:', undefined],
  ])('%j are parsed as %j', (input, expected) => {
    expect(readFilter({ feature: input }, 'feature')).toEqual(expected);
  });

  test.each(['', 'web', 'is:web', ' IS:web', 'IS_NOT:web', 'IS_NONE_OF:web', 'IS:a\nb', 'IS:a\0'])(
    '%j are rejected',
    (input) => {
      expect(() => readFilter({ feature: input }, 'feature')).toThrow(/\/query\/feature/);
    },
  );

  test('may have at most 10000 characters, and the longest are parsed quickly', async () => {
    const longest = `IS:${',a'.repeat(4998)},`;
    expect(longest).toHaveLength(10_000);
    expect(readFilter({ type: longest }, 'type')).toEqual(['', 'a']);
    const fiveTimes = (work: () => unknown) => cpuMsOf(() => [1, 2, 3, 4, 5].map(work));
    const byPattern = await fiveTimes(() => DOCUMENTED.test(longest));
    expect(await fiveTimes(() => readFilter({ type: longest }, 'type'))).toBeLessThan(
      byPattern / 4,
    );
    expect(() => readFilter({ type: `${longest}a` }, 'type')).toThrow(/10000 characters/);
  });
});

describe('author IDs', () => {
  test('are 32-bit integers, with optional signs and spaces', () => {
    const input = 'IS_ANY_OF:3, -42,+7,2147483647,-2147483648,007';
    expect(readIntegerFilter({ createdBy: input }, 'createdBy')).toEqual([
      3, -42, 7, 2147483647, -2147483648, 7,
    ]);
  });

  test.each(['IS:admin', 'IS:1.5', 'IS:1e3', 'IS:0x1', 'IS:99999999999', 'IS:2147483648', 'IS:3,'])(
    '%j are rejected',
    (input) => {
      expect(() => readIntegerFilter({ createdBy: input }, 'createdBy')).toThrow(/32 bits/);
    },
  );
});

describe('days', () => {
  test('start with `from` and include the whole day of `to`, in UTC', () => {
    const query = { from: 'IS:2024-02-28', to: 'IS:2024-02-29' };
    expect(readDayStart(query, 'from')?.toISOString()).toBe('2024-02-28T00:00:00.000Z');
    expect(readDayEnd(query, 'to')?.toISOString()).toBe('2024-03-01T00:00:00.000Z');
  });

  test('before the year 100 are not adjusted', () => {
    expect(readDayStart({ from: 'IS:0001-01-01' }, 'from')?.getUTCFullYear()).toBe(1);
  });

  test('include the last four-digit day', () => {
    expect(readDayEnd({ to: 'IS:9999-12-31' }, 'to')).toEqual(new Date('9999-12-31T23:59:59.999Z'));
  });

  test.each([
    ...['2024-13-45', '2024-02-30', '2023-02-29', '2024-04-31', '2024-00-10', '2024-01-00'],
    ...['0000-01-01', '24-01-01', '2024-1-1', '2024-01-01T00:00', '', '２０２４-01-01'],
  ])('such as %j are rejected in both parameters', (day) => {
    expect(() => readDayStart({ from: `IS:${day}` }, 'from')).toThrow(/\/query\/from/);
    expect(() => readDayEnd({ to: `IS:${day}` }, 'to')).toThrow(/\/query\/to/);
  });

  test('require their operator', () => {
    expect(() => readDayStart({ from: '2024-01-01' }, 'from')).toThrow(/yyyy-MM-dd/);
    expect(() => readDayStart({ from: '' }, 'from')).toThrow(/yyyy-MM-dd/);
  });
});

describe('page parameters', () => {
  test.each([
    [undefined, 50],
    ['', 50],
    ['abc', 50],
    ['0', 50],
    ['-1', 50],
    ['1001', 50],
    ['1000.5', 50],
    ['Infinity', 50],
    ['1000', 1000],
    [' 7 ', 7],
    ['1e1', 10],
    ['0x5', 5],
    ['2.9', 2],
    ['0.5', 0],
    ['0.0000001', 1],
  ])('limit %j means %d', (limit, expected) => {
    expect(readPage({ limit }, 1000).limit).toBe(expected);
  });

  test.each([
    [undefined, 0],
    ['', 0],
    ['-5', 0],
    ['abc', 0],
    ['Infinity', 0],
    ['1e30', 1],
    ['12.7', 12],
    ['100000000000000000000', Number.MAX_SAFE_INTEGER],
  ])('offset %j means %d', (offset, expected) => {
    expect(readPage({ offset }, 1000).offset).toBe(expected);
  });
});

describe('query strings', () => {
  test.each(['limit=1&limit=2', 'limit[]=1', 'limit[a]=1', 'limit%5B%5D=1', 'limit[0][b]=1'])(
    '%s are rejected as not a single string',
    (search) => {
      expect(() => readPage(parseQuery(search), 100)).toThrow(/must be a single string/);
    },
  );

  test('keep percent sequences that cannot be decoded', () => {
    expect(readText(parseQuery('query=%E0%A4%A&x=1'), 'query')).toBe('%E0%A4%A');
    expect(readText(parseQuery('query=100%'), 'query')).toBe('100%');
  });

  test('contain no inherited parameters', () => {
    expect(readText(parseQuery('a=1'), 'constructor')).toBeUndefined();
    expect(readText(parseQuery('__proto__[query]=x'), 'query')).toBeUndefined();
  });

  test('decode plus signs as spaces and ignore empty text', () => {
    expect(readText(parseQuery('query=a+b%2Bc'), 'query')).toBe('a b+c');
    expect(readText(parseQuery('query='), 'query')).toBeUndefined();
    expect(readText(parseQuery('query'), 'query')).toBeUndefined();
  });

  test('may not contain a NUL or a lone surrogate', () => {
    expect(() => readText(parseQuery('query=a%00b'), 'query')).toThrow(/cannot be stored/);
    expect(() => readText({ query: 'a\ud800' }, 'query')).toThrow(/cannot be stored/);
    expect(readText({ query: '😀' }, 'query')).toBe('😀');
  });
});
