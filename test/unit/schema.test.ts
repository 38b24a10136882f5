import { readFileSync } from 'node:fs';
import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../src/domain/events/event-types.js';
import { schema } from '../../src/graphql/schema/index.js';

type Part = {
  place: string;
  description: string | null | undefined;
  deprecationReason: string | null | undefined;
};

const partsOf = (type: GraphQLNamedType): Part[] => {
  const whole: Part = { place: type.name, description: type.description, deprecationReason: null };
  if (isEnumType(type)) {
    return [
      whole,
      ...type.getValues().map((value) => ({ ...value, place: `${type.name}.${value.name}` })),
    ];
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return [whole, ...fields.map((field) => ({ ...field, place: `${type.name}.${field.name}` }))];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [whole];
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const place = `${type.name}.${field.name}`;
    const args = field.args.map((arg) => ({ ...arg, place: `${place}(${arg.name}:)` }));
    return [{ ...field, place }, ...args];
  });
  return [whole, ...fields];
};

const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
const parts = types.filter((type) => !isSpecifiedScalarType(type)).flatMap(partsOf);

describe('the schema', () => {
  test('is the one in schema.graphql', () => {
    const printed = printSchema(lexicographicSortSchema(schema));
    const stored = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
    expect(stored.trim()).toBe(printed.trim());
  });

  test('describes every type, field, argument, enum value and input field in a sentence', () => {
    expect(parts.length).toBeGreaterThan(400);
    const bare = parts.filter(({ description }) => !/^\S.*[.:`!?]$/s.test(description ?? ''));
    expect(bare.map(({ place }) => place)).toEqual([]);
  });

  test('says what to use instead of everything that is deprecated', () => {
    const deprecated = parts.filter(({ deprecationReason }) => deprecationReason);
    expect(deprecated.map(({ place, deprecationReason }) => [place, deprecationReason])).toEqual([
      ['Feature.lastSeenAt', 'Use FeatureEnvironment.lastSeenAt.'],
      ['Feature.variants', 'Use FeatureEnvironment.variants.'],
      ['Query.projectHealthReport', 'Use project(id:) with its fields health and features.'],
    ]);
    const named = deprecated.flatMap(({ deprecationReason }) => [
      ...(deprecationReason ?? '').matchAll(/([A-Z]\w+)\.(\w+)/g),
    ]);
    for (const [, typeName = '', fieldName = ''] of named) {
      const type = schema.getType(typeName);
      expect(isObjectType(type) && fieldName in type.getFields()).toBe(true);
    }
  });

  test('calls what is experimental by that name first', () => {
    const children = parts.find(({ place }) => place === 'Feature.children');
    expect(children?.description).toMatch(/^Experimental/);
  });

  test('has every event type of the API document, and OTHER', () => {
    const eventType = schema.getType('EventType');
    const names = isEnumType(eventType) ? eventType.getValues().map(({ name }) => name) : [];
    const expected = EVENT_TYPES.map((type) => type.replaceAll('-', '_').toUpperCase());
    expect(names.toSorted()).toEqual([...expected, 'OTHER'].toSorted());
  });

  test('has every question, the one change and the one stream that were asked for', () => {
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {}).toSorted()).toEqual([
      'cleanUp',
      'event',
      'eventActivity',
      'eventLog',
      'events',
      'feature',
      'features',
      'integration',
      'integrationEvents',
      'integrations',
      'lookup',
      'node',
      'nodes',
      'project',
      'projectHealthReport',
      'projects',
      'viewer',
    ]);
    expect(Object.keys(schema.getMutationType()?.getFields() ?? {})).toEqual(['cloneFeature']);
    expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {})).toEqual(['events']);
  });

  test('has no directive of its own', () => {
    const own = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
    expect(own.map(({ name }) => name)).toEqual([]);
  });

  test('shows no field that could hold a secret', () => {
    const fields = parts.map(({ place }) => place);
    expect(fields.filter((place) => /\.\w*(secret|password|token)/.test(place))).toEqual([]);
    expect(fields).not.toContain('Integration.parameters');
    expect(fields).not.toContain('User.email');
  });
});
