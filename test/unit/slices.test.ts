import { setImmediate as nextTurn } from 'node:timers/promises';
import { GraphQLInt, GraphQLList, GraphQLObjectType, GraphQLSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createLoader } from '../../src/data/create-loader.js';
import { createDatabaseTimes } from '../../src/data/database-times.js';
import { parseInSlices } from '../../src/data/json/parse-in-slices.js';
import { createTimeSlicer, sortInSlices, visitInSlices } from '../../src/data/work/time-slicer.js';
import { createWork, currentWork, runAs } from '../../src/data/work/work.js';
import { boundFields } from '../../src/graphql/bound-fields.js';
import { executeOperation } from '../../src/graphql/execute-operation.js';
import { writeJsonInSlices } from '../../src/http/write-json-in-slices.js';
import { searchEventsRoute } from '../../src/rest/search-events.js';
import { adminActor } from '../testkit/actors.js';

const NEVER = new AbortController().signal;

const burn = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

/** Counts the iterations of the event loop while something runs. */
const turnsDuring = async (run: () => Promise<unknown>): Promise<number> => {
  let [turns, isDone] = [0, false];
  const running = run().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    turns += 1;
  }
  await running;
  return turns;
};

describe('the callers of a loader', () => {
  test.each([
    ['of one key', () => 1],
    ['of few keys', (index: number) => index % 50],
  ])('%s continue in slices', async (_, keyOf) => {
    const work = { ...createWork(), slicer: createTimeSlicer(NEVER) };
    const run = () =>
      runAs(work, () => {
        const loader = createLoader<number, number>(async (keys) => keys);
        const load = async (index: number) => {
          await loader.load(keyOf(index));
          burn(0.1);
        };
        return Promise.all(Array.from({ length: 1_000 }, (__, index) => load(index)));
      });
    expect(await turnsDuring(run)).toBeGreaterThan(20);
  });
});

describe('a large batch of a loader', () => {
  test('continues its callers in slices', async () => {
    const slicer = createTimeSlicer(NEVER);
    const work = { ...createWork(), slicer };
    const keys = Array.from({ length: 2_000 }, (_, index) => index);
    const run = () =>
      runAs(work, async () => {
        const loader = createLoader<number, number>(async (all) => all.map((key) => key * 2));
        return Promise.all(
          keys.map(async (key) => {
            const value = await loader.load(key);
            burn(0.05);
            return value;
          }),
        );
      });
    let values: number[] = [];
    const turns = await turnsDuring(async () => {
      values = await run();
    });
    expect(values).toEqual(keys.map((key) => key * 2));
    expect(turns).toBeGreaterThan(20);
  });
});

describe('a paced operation', () => {
  test('yields to the event loop', async () => {
    const slicer = createTimeSlicer(NEVER);
    const items = Array.from({ length: 400 }, (_, index) => slicer.turn(index).then(() => burn(1)));
    expect(await turnsDuring(() => Promise.all(items))).toBeGreaterThan(20);
  });

  test('gets its values in order', async () => {
    const slicer = createTimeSlicer(NEVER);
    const seen: number[] = [];
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        slicer.turn(index).then((item) => seen.push(item)),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  });

  test('does not wait for another one to finish', async () => {
    const [long, short] = [createTimeSlicer(NEVER), createTimeSlicer(NEVER)];
    let isDone = false;
    const items = Array.from({ length: 400 }, () => long.turn(0).then(() => burn(1)));
    const all = Promise.all(items).then(() => {
      isDone = true;
    });
    await short.turn(0);
    expect(isDone).toBe(false);
    await all;
  });

  test('yields to other work', async () => {
    const slicer = createTimeSlicer(NEVER);
    let isDone = false;
    const items = Array.from({ length: 60 }, () => slicer.turn(0).then(() => burn(1)));
    const all = Promise.all(items).then(() => {
      isDone = true;
    });
    let turns = 0;
    for (; !isDone; turns += 1) {
      burn(1);
      await nextTurn();
    }
    await all;
    // 20 slices or more, which would take 20 turns without a pause.
    expect(turns).toBeGreaterThan(60);
  });

  test('ends when its work is aborted', async () => {
    const controller = new AbortController();
    const slicer = createTimeSlicer(controller.signal);
    const items = Array.from({ length: 100 }, () => slicer.turn(0).then(() => burn(1)));
    controller.abort(new Error('gone'));
    const outcomes = await Promise.allSettled(items);
    expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: { message: 'gone' } });
  });

  test('loads the keys of all its slices in one batch, as part of its own work', async () => {
    const batches: { size: number; owner: string | undefined }[] = [];
    const run = (owner: string) => {
      const work = createWork(NEVER, { owner });
      return runAs(work, async () => {
        const slicer = createTimeSlicer(NEVER);
        work.slicer = slicer;
        const loader = createLoader<number, number>(async (keys) => {
          batches.push({ size: keys.length, owner: currentWork()?.owner });
          return keys;
        });
        const load = async (key: number) => {
          burn(0.1);
          return loader.load(await slicer.turn(key));
        };
        return Promise.all(Array.from({ length: 300 }, (_, key) => load(key)));
      });
    };
    await Promise.all([run('one'), run('two')]);
    expect(batches.toSorted((a, b) => (a.owner ?? '').localeCompare(b.owner ?? ''))).toEqual([
      { size: 300, owner: 'one' },
      { size: 300, owner: 'two' },
    ]);
  });
});

describe('the time of a request counts for its sender', () => {
  const recordedBy = async (run: () => Promise<unknown>, hasSlicer = false): Promise<number> => {
    let recorded = 0;
    const recordTime = (ms: number): void => {
      recorded += ms;
    };
    const sender = { isAlone: () => true, recordTime };
    const slicer = hasSlicer ? createTimeSlicer(NEVER, sender) : undefined;
    await runAs({ ...createWork(NEVER, { sender }), slicer }, run);
    await nextTurn();
    return recorded;
  };

  test('after a statement', async () => {
    const ms = await recordedBy(async () => {
      await createDatabaseTimes().statement('select 1', () => nextTurn());
      burn(10);
      await null;
      burn(10);
    });
    expect(ms).toBeGreaterThanOrEqual(20);
  });

  test('in the pauses of a long computation', async () => {
    const ms = await recordedBy(() => visitInSlices(Array(40).fill(0), () => burn(1)));
    // All but the first slice, which belongs to what was before it.
    expect(ms).toBeGreaterThanOrEqual(30);
  });

  test('after a turn, however many promises follow', async () => {
    const follow = async () => {
      await currentWork()?.slicer?.turn(0);
      for (let step = 0; step < 10; step += 1) await null;
      burn(20);
    };
    expect(await recordedBy(follow, true)).toBeGreaterThanOrEqual(20);
  });
});

test('a long list is sorted with other work in between', async () => {
  const items = Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 1_000);
  let sorted: number[] = [];
  const compare = (one: number, other: number): number => {
    if (one === other) burn(0.01);
    return one - other;
  };
  const turns = await turnsDuring(async () => {
    sorted = await sortInSlices(items, compare);
  });
  expect(sorted).toEqual(items.toSorted((one, other) => one - other));
  expect(turns).toBeGreaterThan(3);
});

test('sorting in slices keeps the order of equal items', async () => {
  const items = Array.from({ length: 5_000 }, (_, index) => ({ index, key: index % 7 }));
  const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;
  expect(await sortInSlices(items, compare)).toEqual(items.toSorted(compare));
});

describe('a GraphQL operation', () => {
  const Item = new GraphQLObjectType({
    name: 'Item',
    fields: {
      id: {
        type: GraphQLInt,
        resolve: (id: number) => {
          burn(1);
          return id;
        },
      },
    },
  });
  const Query = new GraphQLObjectType({
    name: 'Query',
    fields: {
      items: {
        type: new GraphQLList(Item),
        resolve: () => Array.from({ length: 200 }, (_, id) => id),
      },
    },
  });
  const schema = boundFields(new GraphQLSchema({ query: Query }));
  const run = (points: number) => async () => {
    const args = { schema, document: parse('{ items { id } }'), contextValue: {} };
    const { data } = await runAs(createWork(), () => executeOperation(args, points));
    expect(data).toMatchObject({ items: Array.from({ length: 200 }, (_, id) => ({ id })) });
  };

  test('of high cost yields to the event loop', async () => {
    expect(await turnsDuring(run(401))).toBeGreaterThan(10);
  });

  test('of low cost runs at once', async () => {
    expect(await turnsDuring(run(400))).toBeLessThan(5);
  });
});

/** Rows in the format of PostgreSQL's `json_agg`. */
const aggregated = (rows: readonly string[]) => `[${rows.join(', \n ')}]`;

describe('a list of rows', () => {
  test.each([
    ['short', 10],
    ['long', 40_000],
  ])('that is %s is parsed unchanged', async (_, count) => {
    const rows = Array.from({ length: count }, (__, id) => ({ id, text: `[{"\\, \n ${id}` }));
    const json = aggregated(rows.map((row) => JSON.stringify(row)));
    expect(await parseInSlices(json, JSON.parse)).toEqual(rows);
  });

  test('is split only between rows, not within similar nested lists', async () => {
    const nested = aggregated(Array.from({ length: 30_000 }, (_, n) => `{"n":${n}}`));
    const rows = [`{"id":1,"data":${nested}}`, '{"id":2}', `{"id":3,"data":${nested}}`];
    const json = aggregated(rows);
    expect(await parseInSlices(json, JSON.parse)).toEqual(JSON.parse(json));
  });

  test('yields to the event loop', async () => {
    const row = JSON.stringify({ values: Array.from({ length: 1_000 }, (_, n) => `value ${n}`) });
    const json = aggregated(Array.from({ length: 1_000 }, () => row));
    expect(await turnsDuring(() => parseInSlices(json, JSON.parse))).toBeGreaterThan(20);
  });
});

describe('JSON in slices', () => {
  // Too long to be written at once, and so is everything that contains it.
  const long = 'ü'.repeat(20_000);

  test.each([
    null,
    'text',
    long,
    [],
    {},
    [undefined, null, 1],
    [long, undefined, null, 1, () => 1, [], {}],
    { a: undefined, b: { c: [] }, d: [[], [1]], e: new Date(0), '__proto__ ': '"' },
    { a: undefined, b: { c: [], long }, d: [[], [1, long]], e: new Date(0), '__proto__ ': long },
    { toJSON: () => ({ long }) },
    [[[[[[[[long, undefined, { gone: undefined, long }]]]]]]]],
    {
      data: {
        list: { nodes: Array.from({ length: 5_000 }, (_, id) => ({ id, text: 'ü'.repeat(100) })) },
      },
    },
  ])('equals JSON.stringify (%#)', async (value) => {
    expect(await writeJsonInSlices(value)).toBe(JSON.stringify(value));
  });
});

test('a REST page of events is mapped with other work in between', async () => {
  const event = {
    get label() {
      burn(0.1);
      return '';
    },
  };
  const operations = { searchEvents: async () => ({ events: Array(500).fill(event), total: 500 }) };
  const request = { actor: adminActor, params: {}, search: '', headers: {}, body: { value: {} } };
  const { run } = searchEventsRoute.prepare(request as never);
  expect(await turnsDuring(() => run(operations as never))).toBeGreaterThan(5);
});

/** How long 30 slices of an operation take while each turn of the event loop has other work. */
const measureSlices = async (isAlone: () => boolean): Promise<number> => {
  const slicer = createTimeSlicer(NEVER, { isAlone, recordTime: () => undefined });
  let isRunning = true;
  const interfere = () => {
    burn(0.6);
    if (isRunning) setImmediate(interfere);
  };
  setImmediate(interfere);
  const startedAt = performance.now();
  for (let slice = 0; slice < 30; slice += 1) {
    const turns = [slicer.turn(slice), slicer.turn(slice)];
    await turns[0];
    burn(3);
    await turns[1];
  }
  isRunning = false;
  return performance.now() - startedAt;
};

test('an operation pauses between its slices only if another client may benefit', async () => {
  const alone = await measureSlices(() => true);
  const together = await measureSlices(() => false);
  expect(together).toBeGreaterThan(1.5 * alone);
});
