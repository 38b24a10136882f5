import { beforeAll, describe, expect, test } from 'vitest';
import { type Db, Prisma } from '../../../src/data/db.js';
import { formatPath, type PathStep, parsePath } from '../../../src/data/events/change-path.js';
import { SUBJECT_RULES } from '../../../src/data/events/subject-rules.js';
import { SWITCHES } from '../../../src/data/events/switches.js';
import { touchedPath } from '../../../src/data/events/touched-path.sql.js';
import { parseExactly } from '../../../src/data/json/parse-exactly.js';
import { createRandom, type Random } from '../../../src/demo/random.js';
import { BadDataError } from '../../../src/domain/errors.js';
import { type Change, difference } from '../../../src/domain/events/changes/difference.js';
import type { RecordedStates } from '../../../src/domain/events/changes/event-states.js';
import { isEqual } from '../../../src/domain/events/changes/is-equal.js';
import { changesWithin } from '../../../src/domain/events/changes/list-event-changes.js';
import { assertEventCriteria } from '../../../src/domain/events/event-criteria.js';
import { EVENT_TYPES } from '../../../src/domain/events/event-types.js';
import { isObject } from '../../../src/domain/json.js';
import { describeWithDatabase, rounds } from '../../testkit/database.js';
import { changedJson, randomJson } from '../../testkit/json-pairs.js';

const SWITCH_TYPES = [...SWITCHES.keys()] as [string, ...string[]];

const ALL_TYPES = EVENT_TYPES as unknown as [string, ...string[]];

type Pair = { before: unknown; after: unknown };
type Payloads = { type?: string; data: string | null; preData: string | null };

const write = async (db: Db, { type = 'feature-strategy-update', data, preData }: Payloads) => {
  const [{ id }] = await db.$queryRaw<[{ id: number }]>(Prisma.sql`
    insert into events (type, created_by, data, pre_data)
    values (${type}, 'hand', (${data}::text)::json, (${preData}::text)::jsonb) returning id`);
  return id;
};
const writePair = (db: Db, { before, after }: Pair) =>
  write(db, { data: JSON.stringify(after), preData: JSON.stringify(before) });

/** Returns which of the paths the event touched. */
const touchedBy = async (db: Db, id: number, paths: readonly string[]): Promise<boolean[]> => {
  const [{ touched }] = await db.$queryRaw<[{ touched: boolean[] }]>(Prisma.sql`
    select array[${Prisma.join(paths.map(touchedPath))}] as touched from events e where e.id = ${id}`);
  return touched;
};

const isSameStep = (one: PathStep, other: PathStep) =>
  one.kind === 'items' || other.kind === 'items'
    ? one.kind !== 'key' && other.kind !== 'key'
    : isEqual(one, other);
const begins = (path: readonly PathStep[], start: readonly PathStep[]) =>
  start.every((step, index) => path[index] !== undefined && isSameStep(path[index], step));

/** The value at a path; for a list, the values of its items in order, or undefined if there are none. */
const valueAt = (value: unknown, steps: readonly PathStep[]): unknown => {
  const [step, ...rest] = steps;
  if (!step) return value;
  if (step.kind === 'key') {
    const isPresent = isObject(value) && Object.hasOwn(value, step.key);
    return isPresent ? valueAt(value[step.key], rest) : undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const fields = step.kind === 'item' ? step.fields : [];
  const values = value
    .filter((item) => fields.every(([name, field]) => isObject(item) && isEqual(item[name], field)))
    .map((item) => valueAt(item, rest))
    .filter((found) => found !== undefined);
  return values.length > 0 ? values : undefined;
};

/** Whether a change is at the path, below it, or above it and covers it. A new order covers the items, not their parts. */
const isTouched = (changes: readonly Change[], path: string): boolean => {
  const steps = parsePath(path) ?? [];
  return changes.some((change) => {
    const changedPath = parsePath(change.path) ?? [];
    if (begins(changedPath, steps)) return true;
    if (!begins(steps, changedPath)) return false;
    const rest = steps.slice(changedPath.length);
    if (change.kind === 'REORDERED') return rest.length === 1 && rest[0]?.kind === 'items';
    return !isEqual(valueAt(change.before, rest), valueAt(change.after, rest));
  });
};

/** The state before an update may be in an earlier event: everything that it records may have changed. */
const changesSinceUnknown = ({ type, data, preData }: RecordedStates): Change[] =>
  SUBJECT_RULES.has(type) && preData === null && isObject(data) ? difference(undefined, data) : [];

/** A path of keys and of all items from the root of a value. */
const walk = (random: Random, value: unknown): PathStep[] => {
  if (Array.isArray(value) && value.length > 0 && random.int(0, 4) > 0) {
    return [{ kind: 'items' }, ...walk(random, random.pick(value as [unknown, ...unknown[]]))];
  }
  if (!isObject(value) || random.int(0, 4) === 0) return [];
  const [first, ...others] = Object.keys(value);
  if (first === undefined) return [];
  const key = random.pick([first, ...others]);
  return [{ kind: 'key', key }, ...walk(random, value[key])];
};

/** Paths that are related to the changes, and some that are not. */
const pathsFor = (random: Random, { before, after }: Pair, changes: readonly Change[]) => {
  const sample = random.shuffle(changes).slice(0, 3);
  const related = sample.flatMap((change) => {
    const changedPath = parsePath(change.path) ?? [];
    const inside = change.kind === 'REORDERED' ? null : (change.after ?? change.before);
    return [
      changedPath,
      changedPath.slice(0, random.int(0, changedPath.length)),
      [...changedPath, ...walk(random, inside)],
      changedPath.map((step) => (step.kind === 'item' ? { kind: 'items' as const } : step)),
    ];
  });
  const unrelated = [
    walk(random, before),
    walk(random, after),
    [{ kind: 'key' as const, key: 'nowhere' }],
  ];
  return [...related, ...unrelated].map(formatPath).filter((path) => path.length < 400);
};

describeWithDatabase('the filter for touched paths', (open) => {
  let db: Db;
  beforeAll(async () => {
    db = (await open()).client;
  });

  test('matches exactly the changes of the event, for hundreds of pairs', async () => {
    const random = createRandom(7);
    const counted = { true: 0, false: 0 };
    for (let round = 0; round < rounds(250); round += 1) {
      const before =
        random.int(0, 9) === 0
          ? randomJson(random, 3)
          : { a: randomJson(random, 3), b: randomJson(random, 2) };
      const pair = { before, after: changedJson(random, before) };
      if (pair.before === null || pair.after === null) continue;
      const changes = difference(pair.before, pair.after);
      const paths = pathsFor(random, pair, changes);
      const touched = await touchedBy(db, await writePair(db, pair), paths);
      for (const [index, path] of paths.entries()) {
        const expected = isTouched(changes, path);
        expect(touched[index], JSON.stringify({ path, changes, ...pair })).toBe(expected);
        counted[`${expected}`] += 1;
      }
    }
    expect(counted.true).toBeGreaterThan(rounds(300));
    expect(counted.false).toBeGreaterThan(rounds(100));
  });

  test('matches exactly the changes for numbers of any length', async () => {
    const random = createRandom(16);
    const near = (digits: string) => `${digits}${random.int(0, 9)}`;
    const number = () =>
      `${random.pick(['', '-'])}${random.pick([near('900719925474099'), near('0.300000000000000'), near('1e30'), near('1e-32'), near('10e29'), near('0.1000000000000000055'), '0.30', '0', '1e300'])}`;
    const pairs = Array.from({ length: 300 }, () => [number(), number()] as const);
    const written = (side: 0 | 1) =>
      `{${pairs.map((pair, index) => `"k${index}":${pair[side]}`).join()}}`;
    const [preData, data] = [written(0), written(1)];
    const changed = difference(parseExactly(preData), parseExactly(data)).map(({ path }) => path);

    const id = await write(db, { data, preData });
    const keys = pairs.map((_, index) => `k${index}`);
    const touched: boolean[] = [];
    for (let from = 0; from < keys.length; from += 50) {
      touched.push(...(await touchedBy(db, id, keys.slice(from, from + 50))));
    }
    expect(keys.filter((_, index) => touched[index])).toEqual(changed);
    expect(changed.length).toBeLessThan(pairs.length - 5);
  });

  test('matches any list item when it matches one of them', async () => {
    const random = createRandom(11);
    const item = (n: number) => ({
      id: n,
      ...random.pick<object>([{}, { x: null }, { x: 1 }]),
      deep: { y: random.int(0, 1) },
    });
    const list = () => random.shuffle([1, 2, 3, 4]).slice(0, random.int(0, 4)).map(item);
    const counted = { true: 0, false: 0 };
    for (let round = 0; round < rounds(80); round += 1) {
      const before = { list: list(), other: [{ name: 'n', list: list() }] };
      const after =
        random.int(0, 2) === 0
          ? { ...before, list: random.shuffle(before.list) }
          : {
              list: random.int(0, 1) ? before.list : list(),
              other: [{ name: 'n', list: random.int(0, 1) ? list() : before.other[0]?.list }],
            };
      const changes = difference(before, after);
      const paths = [
        'list[]',
        'list[].x',
        'list[*].deep.y',
        'list[].deep',
        'other[].list[].x',
        'other[].list',
        'other[name=n].list[].x',
      ];
      const touched = await touchedBy(db, await writePair(db, { before, after }), paths);
      for (const [index, path] of paths.entries()) {
        const expected = isTouched(changes, path);
        expect(touched[index], JSON.stringify({ path, before, after })).toBe(expected);
        counted[`${expected}`] += 1;
      }
    }
    expect(Math.min(counted.true, counted.false)).toBeGreaterThan(rounds(60));
  });

  test('matches exactly the changes that an event of any type determines', async () => {
    const random = createRandom(23);
    const object = () => ({ a: randomJson(random, 2), name: random.pick(['x', 'y']) });
    const sometimes = <T>(value: T): T | null => (random.int(0, 1) === 0 ? value : null);
    const kinds: readonly [() => RecordedStates, ...(() => RecordedStates)[]] = [
      () => ({
        type: random.pick(ALL_TYPES),
        data: sometimes(object()),
        preData: sometimes(object()),
      }),
      () => ({ type: random.pick(ALL_TYPES), data: sometimes(7), preData: sometimes('x') }),
      () => ({ type: random.pick(SWITCH_TYPES), data: null, preData: null }),
      () => ({ type: random.pick(SWITCH_TYPES), data: object(), preData: null }),
      () => ({ type: random.pick(SWITCH_TYPES), data: object(), preData: object() }),
      () => ({ type: 'project-updated', data: object(), preData: { ...object(), b: 1 } }),
      () => ({ type: 'feature-created', data: object(), preData: null }),
      () => ({ type: 'segment-deleted', data: null, preData: object() }),
      () => ({
        type: 'feature-project-change',
        data: { oldProject: random.pick(['x', 'y']), newProject: random.pick(['x', 'y']) },
        preData: null,
      }),
    ];
    const counted = { true: 0, false: 0 };
    for (let round = 0; round < rounds(300); round += 1) {
      const event = random.pick(kinds)();
      const changes = changesWithin(event) ?? changesSinceUnknown(event);
      const steps = pathsFor(random, { before: event.preData, after: event.data }, changes);
      const paths = [...steps, 'enabled', 'archived', 'stale', 'project', 'name'];
      const id = await write(db, {
        type: event.type,
        data: event.data === null ? null : JSON.stringify(event.data),
        preData: event.preData === null ? null : JSON.stringify(event.preData),
      });
      const touched = await touchedBy(db, id, paths);
      for (const [index, path] of paths.entries()) {
        // Also found by the keys under which the move is recorded.
        if (/^(old|new)Project/.test(path)) continue;
        const expected = isTouched(changes, path);
        expect(touched[index], JSON.stringify({ path, changes, event })).toBe(expected);
        counted[`${expected}`] += 1;
      }
    }
    expect(Math.min(counted.true, counted.false)).toBeGreaterThan(rounds(150));
  });

  test.each<[string, Pair]>([
    [
      'reordered',
      { before: ['a', 'b'].map((id) => ({ id })), after: ['b', 'a'].map((id) => ({ id })) },
    ],
    ['changed as a whole', { before: [{ id: 1 }, { x: 2 }], after: [{ x: 2 }, { id: 1 }] }],
    ['of texts', { before: ['a', 'b'], after: ['b', 'a'] }],
    ['added', { before: undefined, after: [{ id: 1 }] }],
  ])('matches the items of a list that is %s', async (_title, { before, after }) => {
    const id = await writePair(db, { before: { list: before }, after: { list: after } });
    expect(await touchedBy(db, id, ['list', 'list[]'])).toEqual([true, true]);
  });

  test.each([
    ['an inverted and a plain constraint', 'contextName', { operator: 'IN' }, 'inverted'],
    ['items without an ID', 'name', { id: null }, 'id'],
    ['items with the same ID', 'id', {}, 'name'],
    ['items with the same name', 'name', {}, 'environment'],
    ['tags with the same value', 'value', {}, 'type'],
  ])('matches when %s swap their values', async (_title, shared, further, apart) => {
    const keyOf = (n: number) =>
      apart === 'id' ? { name: `n${n}`, id: null } : { [shared]: 's', [apart]: `a${n}` };
    const item = (n: number, x: string) => ({ ...further, ...keyOf(n), x });
    const before = { list: [item(1, 'a'), item(2, 'b')] };
    const after = { list: [item(1, 'b'), item(2, 'a')] };
    expect(difference(before, after).length).toBeGreaterThan(0);
    const swapped = await writePair(db, { before, after });
    const reordered = await writePair(db, { before, after: { list: before.list.toReversed() } });
    expect(await touchedBy(db, swapped, ['list[].x', 'list[]'])).toEqual([true, true]);
    expect(await touchedBy(db, reordered, ['list[].x', 'list[]'])).toEqual([false, true]);
  });

  test('matches when indistinguishable items swap their values', async () => {
    const list = (...values: string[]) => ({ list: values.map((x) => ({ id: 1, x })) });
    const id = await writePair(db, { before: list('a', 'b'), after: list('b', 'a') });
    expect(await touchedBy(db, id, ['list[].x'])).toEqual([true]);
  });

  test('matches an event with a single state if that state has the path', async () => {
    const only = { strategies: [{ id: 'a', parameters: { rollout: null } }], list: ['x'] };
    const updated = await write(db, { data: JSON.stringify(only), preData: null });
    const removed = await write(db, {
      type: 'feature-strategy-remove',
      data: null,
      preData: JSON.stringify(only),
    });
    const paths = [
      '',
      'strategies',
      'strategies[id=a].parameters.rollout',
      'list[]',
      'strategies[id=b]',
      'list.x',
      'name',
      '[]',
    ];
    const expected = [true, true, true, true, false, false, false, false];
    expect(await touchedBy(db, updated, paths)).toEqual(expected);
    expect(await touchedBy(db, removed, paths)).toEqual(expected);
    const none = await write(db, { data: 'null', preData: null });
    expect(await touchedBy(db, none, paths)).toEqual(paths.map(() => false));
  });

  test.each(['feature-completed', 'change-request-approved', 'scim-users-deleted', 'unknown'])(
    'matches no event without changes: %s',
    async (type) => {
      const id = await write(db, { type, data: '{"name":"x"}', preData: null });
      expect(await touchedBy(db, id, ['', 'name'])).toEqual([false, false]);
    },
  );

  test('treats text, objects and lists as different types', async () => {
    const id = await write(db, {
      data: '{"a":["id",{"b":1}],"o":{"x":1},"s":"id","n":7}',
      preData: null,
    });
    expect(
      await touchedBy(db, id, [
        'a[].b',
        'a.b',
        'a.id',
        'o[]',
        'o[].x',
        's.id',
        's[]',
        'n[]',
        'n.x',
      ]),
    ).toEqual([true, false, false, false, false, false, false, false, false]);
  });

  test('compares only keys that both states of an event contain', async () => {
    const id = await write(db, {
      type: 'project-updated',
      data: '{"id":"web","name":"Web shop"}',
      preData: '{"id":"web","name":"Webshop","health":90}',
    });
    expect(await touchedBy(db, id, ['', 'name', 'id', 'health'])).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const same = await write(db, {
      type: 'project-updated',
      data: '{"id":"web"}',
      preData: '{"id":"web","health":90}',
    });
    expect(await touchedBy(db, same, ['', 'health'])).toEqual([false, false]);
  });

  test('treats the move of a feature as a change of its project', async () => {
    const id = await write(db, {
      type: 'feature-project-change',
      data: '{"oldProject":"a","newProject":"b"}',
      preData: null,
    });
    const paths = ['project', '', 'newProject', 'oldProject', 'name'];
    expect(await touchedBy(db, id, paths)).toEqual([true, true, true, true, false]);
    const stayed = await write(db, {
      type: 'feature-project-change',
      data: '{"oldProject":"a","newProject":"a"}',
      preData: null,
    });
    expect(await touchedBy(db, stayed, paths)).toEqual([false, false, false, false, false]);
  });

  describe('with unusual payloads', () => {
    const nested = (depth: number, core: string, open = '[', close = ']') =>
      `${open.repeat(depth)}${core}${close.repeat(depth)}`;

    test.each<[string, string, boolean]>([
      ['an escaped NUL', String.raw`{"a":"x\u0000y\u0000\u0000","b":1}`, true],
      ['a NUL in a key', String.raw`{"\u0000":1,"b":1}`, true],
      ['a lone surrogate', String.raw`{"a":"\ud83d","c":"\ude00\ud83d","b":1}`, true],
      [
        'a surrogate pair between lone surrogates',
        String.raw`{"a":"\ud83d\ud83d\ude00\ude00","b":1}`,
        true,
      ],
      [
        'backslashes in front',
        String.raw`{"a":"\\u0000 \\\u0000 \\\\u0000 \\\\\ud83d","b":1}`,
        true,
      ],
      ['an enormous exponent', '{"b":1,"a":1e999999}', false],
      ['a tiny number', '{"b":1,"a":[-1.5E-999999]}', false],
      ['an endless number', `{"b":1,"a":${'9'.repeat(140_000)}}`, false],
      ['a number of 20,000 decimals', `{"b":1,"a":0.${'1'.repeat(20_000)}}`, false],
      [
        'decimals that an exponent makes too many',
        `{"b":1,"a":1.${'1'.repeat(14_000)}e-999}`,
        true,
      ],
      ['the same in a longer text', `{"b":1,"a":1.${'1'.repeat(15_900)}e-999}`, false],
      ['20,000 digits in a text', `{"b":1,"a":"no ${'1'.repeat(20_000)}"}`, true],
      ['50,000 escaped NULs', `{"b":1,"a":"${String.raw`\u0000`.repeat(50_000)}"}`, true],
      ['50,000 lone surrogates', `{"b":1,"a":"${String.raw`\ud83d`.repeat(50_000)}"}`, true],
      [
        '50,000 escapes and backslashes',
        `{"b":1,"a":"${String.raw`\\u0000\\\ud83d\ude00\ude00`.repeat(10_000)}"}`,
        true,
      ],
      ['a number of a thousand digits alone', '1'.repeat(1_000), false],
      ['a scalar', '42', false],
      ['a text', '"b"', false],
      ['lists nested deeply', `{"b":1,"a":${nested(1_900, '1')}}`, true],
      ['lists nested too deeply', `{"b":1,"a":${nested(3_000, '1')}}`, false],
      ['objects nested too deeply', nested(2_500, '1', '{"b":', '}'), false],
      ['the same key twice', '{"b":1,"b":2}', true],
      [
        'thousands of keys',
        `{"b":1${Array.from({ length: 5_000 }, (_, n) => `,"k${n}":${n}`).join('')}}`,
        true,
      ],
    ])('never fails: %s', async (_title, data, isFound) => {
      const id = await write(db, { data, preData: null });
      expect(await touchedBy(db, id, ['b'])).toEqual([isFound]);
      await touchedBy(db, id, ['', 'a', 'a[]', '[]', 'a[id=1].x', '[][][][][][][][][][]']);
    });

    test('replaces thousands of escapes one by one, and nothing else', async () => {
      const many = 10_000;
      const id = await write(db, {
        data: `{"a":"${String.raw`\u0000\\u0000\ud83d\ude00\ude00\\\ud83d`.repeat(many)}"}`,
        preData: JSON.stringify({ a: '\ufffd\\u0000😀\ufffd\\\ufffd'.repeat(many) }),
      });
      expect(await touchedBy(db, id, ['a', ''])).toEqual([false, false]);
    });

    test('decodes a surrogate pair of escapes as one character', async () => {
      const id = await write(db, {
        data: String.raw`{"a":"\ud83d\ude00 \ud83d"}`,
        preData: '{"a":"😀 \ufffd"}',
      });
      expect(await touchedBy(db, id, ['a'])).toEqual([false]);
      const key = await write(db, {
        data: String.raw`{"\u0072ollout":1}`,
        preData: '{"rollout":2}',
      });
      expect(await touchedBy(db, key, ['rollout'])).toEqual([true]);
    });
  });

  test.each([
    ['a[0]', /'touches' must be a path/],
    ['.', /'touches' must be a path/],
    ['a'.repeat(501), /'touches' must have at most 500 characters/],
    [Array.from({ length: 21 }, () => 'a').join('.'), /'touches' must have at most 20 steps/],
    ['a\0', /'touches'/],
    ['"\\u0000"', /'touches'/],
    ['a[id="\\ud800"]', /'touches'/],
  ])('rejects %j', (path, message) => {
    expect(() => assertEventCriteria({ not: { touches: path } })).toThrow(BadDataError);
    expect(() => assertEventCriteria({ not: { touches: path } })).toThrow(message);
  });
});
