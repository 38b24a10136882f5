import type { Random } from '../../src/demo/random.js';

type Fields = Record<string, unknown>;

const KEYS = [
  'a',
  'values',
  'parameters',
  'b.c',
  '',
  'x[0]',
  '"quoted"',
  'back\\slash',
  'two words',
  'tab\t',
  'ünï',
  '😀',
  '__proto__',
  'constructor',
  '7',
  'null',
  '*',
  'k=v',
  'k,v',
  '100%_',
] as const;
const SCALARS = [null, true, false, 0, 1, -3, 1.5, 1e21, '', '1', 'null', 'text', 'ü "q" \\ \n'];

/** The identity of list items, if there is one. */
const IDENTITIES: readonly [(n: number) => Fields, ...((n: number) => Fields)[]] = [
  (n) => ({ id: n }),
  (n) => ({ id: `item-${n}` }),
  (n) => ({ name: n % 2 === 0 ? String(n) : `v ${n}` }),
  (n) => ({ name: 'same', environment: `e${n}` }),
  (n) => ({ contextName: 'userId', operator: n % 2 === 0 ? 'IN' : `OP,${n}` }),
  (n) => ({ contextName: 'userId', operator: `OP${n >> 1}`, inverted: n % 2 === 0 }),
  (n) => ({ type: `t${n >> 1}`, value: `v${n % 2}` }),
  () => ({}),
  (n) => (n % 2 === 0 ? { id: n } : {}),
];

const listOf = <Value>(
  random: Random,
  maxLength: number,
  make: (index: number) => Value,
): Value[] => Array.from({ length: random.int(0, maxLength) }, (_, index) => make(index));

/** JSON objects with arbitrary keys. */
const objectOf = (entries: readonly (readonly [string, unknown])[]): Fields =>
  Object.fromEntries(entries);

/** Any JSON value. */
export const randomJson = (random: Random, depth = 3): unknown => {
  const part = () => randomJson(random, depth - 1);
  const kind = depth <= 0 ? 0 : random.int(0, 6);
  if (kind <= 1) return SCALARS[random.int(0, SCALARS.length - 1)];
  if (kind === 2)
    return listOf(random, 3, () => (random.int(0, 3) === 0 ? part() : random.int(0, 3)));
  if (kind <= 4) {
    const identity = random.pick(IDENTITIES);
    return listOf(random, 4, (index) => ({ ...identity(index), ...objectOf([['x', part()]]) }));
  }
  return objectOf(listOf(random, 4, () => [random.pick(KEYS), part()] as const));
};

const changedList = (random: Random, list: readonly unknown[]): unknown[] => {
  if (random.int(0, 3) === 0) return random.shuffle(list);

  const remaining = list
    .filter(() => random.int(0, 4) > 0)
    .map((item) => (random.int(0, 2) === 0 ? changedJson(random, item) : item));
  const ordered = random.int(0, 2) === 0 ? random.shuffle(remaining) : remaining;
  if (random.int(0, 2) > 0) return ordered;
  const position = random.int(0, ordered.length);
  const first = list[0];
  const like = typeof first === 'object' && first !== null && !Array.isArray(first) ? first : {};
  const added = { ...like, ...random.pick(IDENTITIES)(random.int(5, 9)) };
  return ordered.toSpliced(position, 0, random.int(0, 5) === 0 ? randomJson(random, 1) : added);
};

/** A value with some differences from the given one. */
export const changedJson = (random: Random, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || random.int(0, 15) === 0) {
    return randomJson(random, random.int(0, 2));
  }
  if (Array.isArray(value)) return changedList(random, value);
  const entries = Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
    const change = random.int(0, 7);
    if (change === 0) return [];
    return [[key, change <= 3 ? changedJson(random, part) : part]];
  });
  const added = random.int(0, 2) === 0 ? [[random.pick(KEYS), randomJson(random, 1)] as const] : [];
  return objectOf(random.shuffle([...entries, ...added]));
};
