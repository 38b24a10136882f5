import { buildSchema, execute, GraphQLError, type GraphQLObjectType, parse } from 'graphql';
import { expect, test } from 'vitest';
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
