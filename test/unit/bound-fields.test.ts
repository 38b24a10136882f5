import { buildSchema, execute, GraphQLError, type GraphQLObjectType, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createTimeSlicer } from '../../src/domain/work.js';
import { type Bounds, boundFields } from '../../src/graphql/bound-fields.js';

/** A schema whose items fail asynchronously, and count how often they are resolved. */
const create = () => {
  const schema = buildSchema('type Query { items: [Item] } type Item { failing: Int }');
  const { failing } = (schema.getType('Item') as GraphQLObjectType).getFields();
  const counted = { resolved: 0 };
  if (failing) {
    failing.resolve = async () => {
      counted.resolved += 1;
      throw new Error('lost');
    };
  }
  return { schema: boundFields(schema), counted };
};

const run = (schema: ReturnType<typeof create>['schema'], contextValue: Bounds, items: number) =>
  execute({
    schema,
    document: parse('{ items { failing } }'),
    rootValue: { items: Array.from({ length: items }, () => ({})) },
    contextValue,
  });

test('creates an error for each of the first 100 fields that fail, and one for all others', async () => {
  const { schema } = create();
  const recorded: number[] = [];
  const call = { recordErrors: (count: number) => void recorded.push(count) };
  const { errors = [] } = await run(schema, { call }, 350);
  expect(errors).toHaveLength(350);
  expect(new Set(errors).size).toBe(101);
  expect(recorded).toEqual([100, 100, 100]);
});

test('resolves no further fields of an operation that has ended', async () => {
  const { schema, counted } = create();
  await run(schema, { excess: new GraphQLError('The operation has ended.', { path: [] }) }, 10);
  expect(counted.resolved).toBe(0);
});

test('starts most root fields of a large operation in several turns of the event loop', async () => {
  const schema = buildSchema('type Query { item: Int }');
  const { item } = (schema.getType('Query') as GraphQLObjectType).getFields();
  const turns: number[] = [];
  let turn = 0;
  if (item) {
    item.resolve = async () => {
      const until = performance.now() + 3;
      while (performance.now() < until);
      turns.push(turn);
      return 1;
    };
  }
  const names = Array.from({ length: 10 }, (_, index) => `a${index}: item`);
  const runIn = async (contextValue: Bounds) => {
    turns.length = 0;
    const running = Promise.resolve(
      execute({
        schema: boundFields(schema),
        document: parse(`{ ${names.join(' ')} }`),
        contextValue,
      }),
    );
    let isDone = false;
    running.then(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      turn += 1;
    }
    expect(Object.values((await running).data ?? {})).toHaveLength(10);
    return [...turns];
  };
  expect(new Set(await runIn({})).size).toBe(1);
  const sliced = await runIn({ slicer: createTimeSlicer(new AbortController().signal) });
  expect(new Set(sliced.slice(0, 5)).size).toBe(1);
  expect(new Set(sliced.slice(5)).size).toBe(5);
});

test('completes a short list in several turns if the arguments have many values', async () => {
  const schema = buildSchema('type Query { items: [Item] } type Item { slow: Int }');
  const { slow } = (schema.getType('Item') as GraphQLObjectType).getFields();
  const turns = new Set<number>();
  let turn = 0;
  if (slow) {
    slow.resolve = () => {
      const until = performance.now() + 3;
      while (performance.now() < until);
      turns.add(turn);
      return 1;
    };
  }
  const turnsWith = async (argumentValues: number) => {
    turns.clear();
    let isDone = false;
    const running = Promise.resolve(
      execute({
        schema: boundFields(schema),
        document: parse('{ items { slow } }'),
        rootValue: { items: Array.from({ length: 10 }, () => ({})) },
        contextValue: { argumentValues, slicer: createTimeSlicer(new AbortController().signal) },
      }),
    ).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      turn += 1;
    }
    expect((await running).errors).toBeUndefined();
    return turns.size;
  };
  expect(await turnsWith(100)).toBe(1);
  expect(await turnsWith(1_000)).toBe(10);
});
