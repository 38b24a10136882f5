import { describe, expect, test } from 'vitest';
import { createRandom } from '../../testkit/clone-sources.js';
import { rounds } from '../../testkit/database.js';
import { type FeatureSpec, type Seed, tokenOf } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const DAY_MS = 86_400_000;
const VIEWER = 31;
const random = createRandom(4);
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS - 1_800_000);
const maybe = <Value>(value: Value): Value | null => (random.chance(0.25) ? null : value);

type Known = FeatureSpec & { segmentIds: number[]; stage: string | null; age: number | null };

const STAGES = ['initial', 'pre-live', 'live', 'completed', 'archived', 'frozen'] as const;

const FEATURES: Known[] = Array.from({ length: 50 }, (_, index) => {
  const age = maybe(random.int(0, 60));
  const segmentIds = random.some([1, 2], 0.3);
  const stage = maybe(random.pick(...STAGES));
  const earlier = stage === 'live' ? { initial: daysAgo(90) } : {};
  return {
    name: `${random.pick('alpha', 'beta', 'Beta', 'be_ta')}-${String(index).padStart(2, '0')}`,
    project: random.pick('default', 'web', 'hidden'),
    type: maybe(random.pick('release', 'experiment', 'operational')),
    description: random.pick('100% of users', 'nothing', null),
    stale: maybe(random.chance(0.4)),
    createdAt: age === null ? null : daysAgo(age),
    createdByUserId: maybe(random.int(1, 4)),
    archivedAt: random.chance(0.25) ? daysAgo(1) : null,
    lastSeenAt: random.chance(0.3) ? daysAgo(random.int(0, 40)) : null,
    environments: {
      development: {
        enabled: random.chance(0.5),
        strategies: [{ name: 'default', segments: segmentIds }],
      },
      ...(random.chance(0.5) && { production: { enabled: random.chance(0.5) } }),
    },
    lastSeen: random.chance(0.4) ? { development: daysAgo(random.int(0, 40)) } : {},
    tags: random.chance(0.4) ? { simple: [random.pick('a', 'b')] } : {},
    stages: stage === null ? {} : { ...earlier, [stage]: daysAgo(3) },
    favoriteOf: random.chance(0.3) ? [VIEWER] : [],
    segmentIds,
    stage,
    age,
  };
});

const ROWS: Seed = {
  projects: { web: {}, hidden: { settings: { mode: 'private' } } },
  segments: [
    { id: 1, name: 'one' },
    { id: 2, name: 'two' },
  ],
  users: [{ id: VIEWER, roles: { default: 'Viewer' } }],
  features: FEATURES.map(({ segmentIds: _, stage: __, age: ___, ...feature }) => feature),
};

/** Lifetimes of the types that Unleash comes with, in days. */
const LIFETIMES: Record<string, number> = { release: 40, experiment: 40, operational: 7 };

const seenAt = ({ lastSeenAt, lastSeen }: Known): number | null => {
  const times = [lastSeenAt, lastSeen?.['development']].flatMap((at) => (at ? [Number(at)] : []));
  return times.length > 0 ? Math.max(...times) : null;
};

const enumOf = (stage: string | null) => {
  if (stage === null) return null;
  return stage === 'frozen' ? 'OTHER' : stage.toUpperCase().replaceAll('-', '_');
};

// biome-ignore lint/suspicious/noExplicitAny: filters have many shapes.
type Filter = any;

const passes = (value: unknown, filter: Filter): boolean =>
  (filter.is === undefined || value === filter.is) &&
  (filter.anyOf === undefined || filter.anyOf.includes(value)) &&
  !filter.noneOf?.includes(value) &&
  (filter.startsWith === undefined || String(value ?? '').startsWith(filter.startsWith)) &&
  (filter.contains === undefined || String(value ?? '').includes(filter.contains)) &&
  (filter.from === undefined || (value !== null && Number(value) >= filter.from)) &&
  (filter.before === undefined || (value !== null && Number(value) < filter.before));

const inRange = (at: number | null, { from, before, last, never }: Filter): boolean =>
  (from === undefined || (at !== null && at >= Date.parse(from))) &&
  (before === undefined || (at !== null && at < Date.parse(before))) &&
  (last === undefined ||
    (at !== null && at >= Date.now() - Number(/\d+/.exec(last)?.[0]) * DAY_MS - 60_000)) &&
  (never === undefined || (at === null) === never);

const CHECKS: Record<string, (feature: Known, filter: Filter) => boolean> = {
  name: ({ name }, filter) => passes(name, filter),
  projectId: ({ project }, filter) => passes(project ?? null, filter),
  type: ({ type }, filter) => passes(type ?? null, filter),
  text: ({ name, description }, text) =>
    [name, description ?? ''].some((one) => one.toLowerCase().includes(text.toLowerCase())),
  archived: ({ archivedAt }, is) => is === null || (archivedAt !== null) === is,
  stale: ({ stale }, is) => (stale ?? false) === is,
  potentiallyStale: ({ stale, type, age }, is) =>
    (!stale && age !== null && age >= (LIFETIMES[type ?? ''] ?? Number.POSITIVE_INFINITY)) === is,
  favorite: ({ favoriteOf }, is) => (favoriteOf?.length ?? 0) > 0 === is,
  tag: ({ tags }, { type, value }) => tags?.[type]?.includes(value) ?? false,
  lifecycleStage: ({ stage }, filter) => passes(enumOf(stage), filter),
  enabledEnvironmentName: ({ environments }, name) => environments?.[name]?.enabled ?? false,
  segmentId: ({ segmentIds }, id) => segmentIds.includes(id),
  createdAt: ({ createdAt }, range) => inRange(createdAt ? Number(createdAt as Date) : null, range),
  createdByUserId: ({ createdByUserId }, filter) => passes(createdByUserId ?? null, filter),
  lastSeenAt: (feature, range) => inRange(seenAt(feature), range),
  and: (feature, list) => list.every((inner: Filter) => matches(feature, inner)),
  or: (feature, list) => list.some((inner: Filter) => matches(feature, inner)),
  not: (feature, inner) => !matches(feature, inner),
};

/** Evaluates a filter without SQL. */
const matches = (feature: Known, filter: Filter): boolean =>
  Object.entries(filter).every(([name, value]) => CHECKS[name]?.(feature, value));

const text = () => ({
  ...(random.chance(0.3) && { is: random.pick('web', 'release', FEATURES[3]?.name ?? '') }),
  ...(random.chance(0.3) && { anyOf: ['web', 'experiment', FEATURES[5]?.name, FEATURES[6]?.name] }),
  ...(random.chance(0.4) && { noneOf: ['default', 'release', FEATURES[7]?.name] }),
  ...(random.chance(0.3) && { startsWith: random.pick('be', 'be_', 'B', 'de', 'exp') }),
  ...(random.chance(0.3) && { contains: random.pick('a', '_', '%', 'e', '-1') }),
});
const range = () =>
  random.pick<Filter>(
    { last: 'P20D' },
    { from: daysAgo(random.int(5, 50)).toISOString() },
    { before: daysAgo(random.int(5, 50)).toISOString() },
    { from: daysAgo(45).toISOString(), before: daysAgo(5).toISOString() },
  );
const stage = () => random.pick('INITIAL', 'PRE_LIVE', 'LIVE', 'COMPLETED', 'ARCHIVED', 'OTHER');

const GENERATORS: Record<string, () => Filter> = {
  name: text,
  projectId: text,
  type: text,
  text: () => random.pick('BETA', '100%', '_', 'nothing'),
  archived: () => random.pick<Filter>(true, false, null),
  stale: () => random.chance(0.5),
  potentiallyStale: () => random.chance(0.5),
  favorite: () => random.chance(0.5),
  tag: () => ({ type: 'simple', value: random.pick('a', 'b', 'c') }),
  lifecycleStage: () =>
    random.pick<Filter>({ is: stage() }, { anyOf: [stage(), stage()] }, { noneOf: [stage()] }),
  enabledEnvironmentName: () => random.pick('development', 'production', 'nowhere'),
  segmentId: () => random.int(1, 3),
  createdAt: range,
  createdByUserId: () =>
    random.pick<Filter>({ is: 2 }, { anyOf: [1, 3] }, { noneOf: [2] }, { from: 2, before: 4 }),
  lastSeenAt: () => random.pick<Filter>(range(), { never: true }, { never: false }),
};

const generate = (levels: number): Filter => {
  const names = Object.keys(GENERATORS);
  const chosen = random.some(names, 0.08);
  const one = names[random.int(0, names.length - 1)] as string;
  return {
    ...Object.fromEntries([one, ...chosen].map((name) => [name, GENERATORS[name]?.()])),
    ...(levels > 0 && {
      ...(random.chance(0.3) && { and: random.list(2, () => generate(levels - 1)) }),
      ...(random.chance(0.4) && { or: random.list(3, () => generate(levels - 1)) }),
      ...(random.chance(0.3) && { not: generate(levels - 1) }),
    }),
  };
};

describeWithRows('feature filters', ROWS, ({ gateway }) => {
  const QUERY = `query ($filter: FeatureFilter) {
    features(first: 1000, filter: $filter) { totalCount nodes { name } }
  }`;
  const find = async (filter: Filter, token = tokenOf(VIEWER)) => {
    const { data, errors } = await gateway().graphql(QUERY, { filter }, { token });
    expect(errors, JSON.stringify(filter)).toBeUndefined();
    expect(data.features.totalCount).toBe(data.features.nodes.length);
    return data.features.nodes.map(({ name }: { name: string }) => name).toSorted();
  };
  const expected = (filter: Filter) =>
    FEATURES.filter(({ project }) => project !== 'hidden')
      .filter((feature) => matches(feature, { archived: false, ...filter }))
      .map(({ name }) => name)
      .toSorted();

  test.each(Object.keys(GENERATORS))('%s alone finds what it means', async (name) => {
    const sizes = new Set<number>();
    for (let index = 0; index < 6; index += 1) {
      const filter = { archived: null, [name]: GENERATORS[name]?.() };
      const found = await find(filter);
      expect(found, JSON.stringify(filter)).toEqual(expected(filter));
      sizes.add(found.length);
    }
    expect(Math.max(...sizes)).toBeGreaterThan(0);
  });

  test('combined at random find the same as without SQL', async () => {
    let hits = 0;
    for (let index = 0; index < rounds(120); index += 1) {
      const filter = generate(3);
      const found = await find(filter);
      expect(found, JSON.stringify(filter)).toEqual(expected(filter));
      if (found.length > 0) hits += 1;
    }
    expect(hits).toBeGreaterThan(rounds(20));
  });

  test('are rejected if they take long to plan', async () => {
    const favorites = (count: number) => ({
      filter: { and: Array.from({ length: count }, () => ({ favorite: true })) },
    });
    const options = { token: tokenOf(VIEWER) };
    expect((await gateway().graphql(QUERY, favorites(20), options)).errors).toBeUndefined();
    const { errors } = await gateway().graphql(QUERY, favorites(21), options);
    expect(errors?.[0]?.extensions.code).toBe('LIMIT_EXCEEDED');
  });

  test('find archived features only if they say so', async () => {
    const archived = FEATURES.filter(({ archivedAt }) => archivedAt !== null);
    for (const filter of [{}, { or: [{ archived: true }, { archived: false }] }, null]) {
      const found = await find(filter);
      expect(found.length).toBeGreaterThan(0);
      expect(found.some((name: string) => archived.some((one) => one.name === name))).toBe(false);
    }
    expect(await find({ archived: null, not: { archived: false } })).toEqual(
      expected({ archived: true }),
    );
  });

  describe('are rejected', () => {
    const nested = (levels: number): Filter =>
      levels === 0 ? { stale: true } : { not: nested(levels - 1) };
    test.each<[string, Filter, RegExp]>([
      ['if nested too deeply', nested(6), /nested too deeply/],
      [
        'with too many conditions',
        { or: Array(51).fill({ stale: true }) },
        /at most 50 conditions/,
      ],
      ['with a long part', { name: { contains: 'x'.repeat(501) } }, /'filter.name.contains' .*500/],
      ['with NUL in a part', { and: [{ type: { startsWith: '\0' } }] }, /cannot be stored/],
      ['with NUL as an environment', { enabledEnvironmentName: '\0' }, /cannot be stored/],
      ['with two ranges', { createdAt: { last: 'P1D', from: '2026-01-01' } }, /cannot be combined/],
      ['with an impossible duration', { lastSeenAt: { last: 'P0D' } }, /lastSeenAt.last' must be/],
    ])('%s', async (_title, filter, message) => {
      const { errors } = await gateway().graphql(QUERY, { filter });
      expect(errors?.[0].message).toMatch(message);
    });
  });
});
