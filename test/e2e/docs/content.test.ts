import {
  buildSchema,
  isEnumType,
  isExecutableDefinitionNode,
  isInputObjectType,
  isUnionType,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  graphqlBlocks,
  listBuilt,
  listPages,
  readBuilt,
  readRepository,
} from '../../testkit/docs-site.js';

const built = listBuilt();
const schema = buildSchema(readRepository('schema.graphql'));

const chunks = built.filter((name) => /^assets\/.*\.js$/.test(name));

/** A page has two chunks: a lean one without static parts for the first visit, and the full one. */
const operationsOf = (chunk: string): string[] =>
  [...readBuilt(chunk).matchAll(/operation:"([^"]+)"/g)].map(([, text = '']) =>
    decodeURIComponent(text),
  );

const isRunnable = (block: string): boolean => {
  const document = parse(block);
  return document.definitions.every(isExecutableDefinitionNode) && !validate(schema, document)[0];
};

describe('the schema reference', () => {
  const pages = built.filter((name) => /^reference\/schema\/.*\.html$/.test(name));
  const anchors = new Set(
    pages.flatMap((name) =>
      [...readBuilt(name).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id),
    ),
  );
  const text = pages.map(readBuilt).join('\n');
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

  test('has an anchor for every type and every field', () => {
    const expected = types.flatMap((type) => {
      const hasFields = 'getFields' in type && !isInputObjectType(type);
      const fields = hasFields ? Object.keys(type.getFields()) : [];
      return [type.name, ...fields.map((field) => `${type.name}-${field}`)];
    });
    expect(expected.length).toBeGreaterThan(500);
    expect(expected.filter((id) => !anchors.has(id))).toEqual([]);
  });

  test('lists every argument, input field, enum value and union member', () => {
    const names = types.flatMap((type) => {
      if (isEnumType(type)) return type.getValues().map(({ name }) => name);
      if (isUnionType(type)) return type.getTypes().map(({ name }) => name);
      if (!('getFields' in type)) return [];
      if (isInputObjectType(type)) return Object.keys(type.getFields());
      return Object.values(type.getFields()).flatMap(({ args }) => args.map(({ name }) => name));
    });
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter((name) => !text.includes(`<code>${name}</code>`))).toEqual([]);
  });

  test('describes types and marks deprecated fields', () => {
    expect(text).toContain(schema.getType('Feature')?.description);
    const deprecated = types
      .flatMap((type) =>
        'getFields' in type && !isInputObjectType(type) ? Object.values(type.getFields()) : [],
      )
      .filter(({ deprecationReason }) => typeof deprecationReason === 'string');
    expect(text.match(/custom-block-title">Deprecated</g)?.length ?? 0).toBe(deprecated.length);
  });
});

describe('Open in GraphiQL', () => {
  const offered = new Set(chunks.flatMap(operationsOf));
  const blocks = listPages().flatMap((page) => graphqlBlocks(readRepository(`docs/${page}`)));

  test('is offered for valid operations only', () => {
    expect(offered.size).toBeGreaterThan(30);
    for (const operation of offered) {
      expect([operation, validate(schema, parse(operation))]).toEqual([operation, []]);
    }
  });

  test('is offered for every runnable block, and for no other', () => {
    const runnable = blocks.filter(isRunnable);
    expect(runnable.length).toBeLessThan(blocks.length);
    expect([...offered].sort()).toEqual([...new Set(runnable)].sort());
  });
});

describe('the search index', () => {
  const [index = ''] = chunks.filter((name) => name.includes('localSearchIndex'));

  test.each([
    ['a guide', 'guides/attach'],
    ['the schema reference', 'reference/schema/features#Feature-archived'],
    ['the architecture', 'explanation/architecture'],
  ])('covers %s', (_title, address) => {
    expect(readBuilt(index)).toContain(`/docs/${address}`);
  });
});
