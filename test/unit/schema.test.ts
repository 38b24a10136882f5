import { readFileSync } from 'node:fs';
import {
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../src/domain/events/event-types.js';
import { NODE_TYPES } from '../../src/graphql/node-id.js';
import { schema } from '../../src/graphql/schema/index.js';

/** Names that the specification of Apollo Federation lays down, and what belongs to them. */
const FEDERATION =
  /^(_Any|_Entity|_Service|(federation|link)__\w+|Query\._(entities|service))($|[.(])/;

type Part = {
  place: string;
  /** The named type of a field or argument. */
  type?: string;
  /** What a caller writes rather than reads. */
  isInput?: boolean;
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
    return [
      whole,
      ...fields.map((field) => ({
        ...field,
        place: `${type.name}.${field.name}`,
        type: getNamedType(field.type).name,
        isInput: true,
      })),
    ];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [whole];
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const place = `${type.name}.${field.name}`;
    const args = field.args.map((arg) => ({
      ...arg,
      place: `${place}(${arg.name}:)`,
      type: getNamedType(arg.type).name,
      isInput: true,
    }));
    return [{ ...field, place, type: getNamedType(field.type).name }, ...args];
  });
  return [whole, ...fields];
};

const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
const parts = types
  .filter((type) => !isSpecifiedScalarType(type))
  .flatMap(partsOf)
  .filter(({ place }) => !FEDERATION.test(place));
const objects = types.filter(isObjectType);

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

  test('shows an example of every text that a caller has to write', () => {
    const written = parts.filter(
      ({ isInput, type }) => isInput && (type === 'String' || type === 'ID'),
    );
    expect(written.length).toBeGreaterThan(20);
    const bare = written.filter(({ description }) => !/`[^`]+`/.test(description ?? ''));
    const places = bare
      .map(({ place }) => place)
      .filter((place) => !/\((after|before):\)$/.test(place));
    // Any text will do; and what a filter takes is shown where it is used.
    expect(places.toSorted()).toEqual([
      'FeatureFilter.text',
      'ProjectFilter.text',
      'StringFilter.anyOf',
      'StringFilter.is',
      'StringFilter.not',
    ]);
  });

  test('says of every scalar of its own where it is specified', () => {
    const own = types
      .filter(isScalarType)
      .filter((type) => !isSpecifiedScalarType(type) && !FEDERATION.test(type.name));
    expect(own.map(({ name, specifiedByURL }) => [name, specifiedByURL])).toEqual([
      ['DateTime', 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6'],
      ['JSON', expect.stringMatching(/^https:.*ecma-404/)],
      ['JSONObject', expect.stringMatching(/^https:.*ecma-404/)],
    ]);
  });

  test('has ids for what can be found again, and edges for nothing else but judgements', () => {
    const isNode = ({ name }: { name: string }) =>
      objects.some(
        (type) => type.name === name && type.getInterfaces().some(({ name: of }) => of === 'Node'),
      );
    expect(
      objects
        .filter(isNode)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(NODE_TYPES.toSorted());
    const edges = objects.filter(({ name }) => name.endsWith('Edge'));
    const without = edges.filter((edge) => {
      const node = edge.getFields()['node'];
      return !node || !isNode(getNamedType(node.type));
    });
    expect(without.map(({ name }) => name)).toEqual(['CleanUpEdge']);
  });

  test('repeats the name of a type in none of its fields, and begins none with an underscore', () => {
    const places = parts.flatMap(({ place }) => {
      const [, type = '', field = ''] = /^(\w+)\.(\w+)$/.exec(place) ?? [];
      return [type, field].some((name) => name.startsWith('_')) ||
        (type !== '' && field.toLowerCase().startsWith(type.toLowerCase()))
        ? [place]
        : [];
    });
    expect(places).toEqual(['Node.nodeId']);
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
    const questions = Object.keys(schema.getQueryType()?.getFields() ?? {});
    expect(questions.filter((name) => !FEDERATION.test(`Query.${name}`)).toSorted()).toEqual([
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
    // Values of enums, all in capitals, may name such things.
    const secrets = /\.(?![A-Z])\w*([sS]ecret|[pP]assword|[tT]oken)/;
    expect(fields.filter((place) => secrets.test(place))).toEqual([]);
    expect('Viewer.apiToken').toMatch(secrets);
    expect(fields).not.toContain('Integration.parameters');
    expect(fields).not.toContain('User.email');
  });
});
