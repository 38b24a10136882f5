import { type GraphQLError, getIntrospectionQuery, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { OPERATION_LIMITS, validateWithin } from '../../src/graphql/document-limits.js';
import { schema } from '../../src/graphql/schema/index.js';
import { cpuMsOf } from '../testkit/cpu-time.js';

const messagesOf = (source: string): string[] =>
  validateWithin(schema, parse(source)).map(({ message }) => message);

const fragments = (count: number, body: (index: number) => string): string =>
  Array.from(
    { length: count },
    (_, index) => `fragment f${index} on Query { ${body(index)} }`,
  ).join(' ');
const spreads = (count: number): string =>
  Array.from({ length: count }, (_, index) => `...f${index}`).join(' ');
const chain = (count: number): string =>
  fragments(count, (index) => `viewer { name } ${index < count - 1 ? `...f${index + 1}` : ''}`);

describe('documents with repeated fields', () => {
  test.each([
    ['a field with its selection', `{ ${'viewer { name } '.repeat(1_200)} }`],
    ['a field below others', `{ ${'events(first: 1) { nodes { id } } '.repeat(380)} }`],
    ['a field in inline fragments', `{ ${'... { viewer { name } } '.repeat(700)} }`],
    ['a field in fragments', `{ ${spreads(300)} } ${fragments(300, () => 'viewer { name }')}`],
    ['a field in a chain of fragments', `{ ...f0 } ${chain(300)}`],
    ['a field in fragments that no operation uses', `{ viewer { name } } ${chain(300)}`],
    [
      'fragments in many places',
      `{ ...f0 } ${fragments(
        60,
        (index) =>
          `viewer { name } ${spreads(60)
            .split(' ')
            .slice(index + 1)
            .join(' ')}`,
      )}`,
    ],
    [
      'fields that fragments multiply',
      `{ project(id: "a") { ...p0 } } ${Array.from(
        { length: 6 },
        (_, index) =>
          `fragment p${index} on Project { ${Array.from(
            { length: 8 },
            (_, n) =>
              `a${n}: features { nodes { project { id ${index < 5 ? `...p${index + 1}` : ''} } } }`,
          ).join(' ')} }`,
      ).join(' ')}`,
    ],
  ])('are rejected quickly: %s', async (_, source) => {
    const document = parse(source);
    let errors: readonly GraphQLError[] = [];
    const validateAgain = () => {
      errors = validateWithin(schema, document);
    };
    // The fastest of three: the first one also compiles, and the machine may be busy.
    const times = [];
    for (let run = 0; run < 3; run += 1) times.push(await cpuMsOf(validateAgain));
    expect(Math.min(...times)).toBeLessThan(60);
    const [error, ...others] = errors;
    expect(others).toEqual([]);
    expect(error?.message).toMatch(/repeats the same fields or fragments too often/);
    expect(error?.extensions).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test.each([
    ['the introspection query', getIntrospectionQuery()],
    [
      'fifty aliases',
      `{ ${Array.from({ length: 50 }, (_, n) => `a${n}: events(first: 1) { nodes { id type createdAt createdBy data } }`).join(' ')} }`,
    ],
    [
      'many fragments, as UI components use them',
      `{ ${spreads(60)} } ${fragments(60, () => 'viewer { name }')}`,
    ],
    ['a chain of fragments', `{ ...f0 } ${chain(60)}`],
  ])('are validated as usual within the limits: %s', (_, source) => {
    expect(validate(schema, parse(source))).toEqual([]);
    expect(messagesOf(source)).toEqual([]);
  });

  test('with circular fragments are rejected for that reason', () => {
    const source =
      '{ ...A } fragment A on Query { project(id: "a") { ...B } } fragment B on Project { features { nodes { project { ...B } } } }';
    expect(messagesOf(source)).toEqual(['Cannot spread fragment "B" within itself.']);
  });
});

test('only the first validation errors of a document are returned', () => {
  const source = `{ ${Array.from({ length: 500 }, (_, index) => `evnts${index}`).join(' ')} }`;
  const messages = messagesOf(source);
  expect(messages).toHaveLength(OPERATION_LIMITS.errors + 1);
  expect(messages.at(-1)).toContain('Too many validation errors');
});
