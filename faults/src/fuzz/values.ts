import type { Random } from '../random.js';
import { TOKENS } from '../world/tokens.js';

/** Edge-case values. */
const EDGE_CASES: readonly string[] = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1',
    '50',
    '1001',
    '2147483647',
    '2147483648',
    '9007199254740993',
    '1e309',
    'NaN',
  ],
  ...[
    'null',
    'true',
    '[]',
    '{}',
    '%00',
    '%',
    '%zz',
    '%c3%28',
    '..%2f..%2fetc%2fpasswd',
    '../../..',
    '\\',
    "'",
    '"',
  ],
  ...[
    "' or 1=1 --",
    '"; drop table events; --',
    '#{7*7}',
    '<script>',
    '%F0%9F%98%80',
    'a',
    'ab',
    'lighthouse',
  ],
  ...[
    'IS:payments',
    'IS_ANY_OF:payments,stock',
    'IS:',
    'IS_ANY_OF:',
    'IS:2024-02-30',
    'IS:2024-06-01',
    'IS:-1',
  ],
  ...[
    '__proto__',
    'constructor',
    'payments',
    'feature-00101',
    'A'.repeat(300),
    '*',
    '[0]',
    'x[y][z]',
    '\u202e',
  ],
];

export const edgeCaseValue = (random: Random): string =>
  random.below(5) === 0 ? random.text(1 + random.below(30)) : random.pick(EDGE_CASES);

/** Media types that the gateway does not serve. */
export const UNSERVED_TYPES: readonly string[] = [
  'image/png',
  'application/xml',
  'text/csv',
  'application/x-unknown',
  'multipart/mixed',
  'multipart/mixed; boundary=x',
  'application/octet-stream;q=1',
  'foo/bar, image/*',
];

const TYPES: readonly string[] = [
  '*/*',
  'application/json',
  'application/graphql-response+json',
  'text/html',
  'text/event-stream',
  'multipart/mixed, application/json',
  'application/json;q=0',
  '*/*;q=0',
  ',,,',
  'application/json, text/event-stream;q=0.1',
  'application/graphql-response+json; charset=utf-8; deferSpec=20220824, multipart/mixed',
  ...UNSERVED_TYPES,
];

export const randomMediaType = (random: Random): string => random.pick(TYPES);

const WRONG: readonly (string | undefined)[] = [
  undefined,
  'user:wrong',
  '*:*.wrong',
  'Bearer x',
  ' ',
];

/** Usually a valid token: rejected requests reach little code. */
export const randomToken = (random: Random): string | undefined =>
  random.below(5) === 0
    ? random.pick(WRONG)
    : random.pick([TOKENS.admin, TOKENS.admin, TOKENS.honest, TOKENS.cloner]);

/** A JSON value of any kind. */
export const edgeCaseJson = (random: Random, depth = 0): unknown => {
  const kind = random.below(depth > 3 ? 5 : 8);
  if (kind === 0) return null;
  if (kind === 1) return random.below(2) === 0;
  if (kind === 2) return random.pick([0, -1, 1.5, 1e308, 2 ** 31, 2 ** 53, random.below(100_000)]);
  if (kind <= 5) return edgeCaseValue(random);
  const size = random.below(4);
  const items = Array.from({ length: size }, () => edgeCaseJson(random, depth + 1));
  return kind === 6
    ? items
    : Object.fromEntries(items.map((item) => [edgeCaseValue(random), item]));
};
