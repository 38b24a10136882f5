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

type Part = {
  place: string;
  /** The named type of a field or argument. */
  type?: string;
  /** Whether clients write it. */
  isInput?: boolean;
  description: string | null | undefined;
  deprecationReason: string | null | undefined;
};

const partsOf = (type: GraphQLNamedType): Part[] => {
  const typePart: Part = {
    place: type.name,
    description: type.description,
    deprecationReason: null,
  };
  if (isEnumType(type)) {
    return [
      typePart,
      ...type.getValues().map((value) => ({ ...value, place: `${type.name}.${value.name}` })),
    ];
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return [
      typePart,
      ...fields.map((field) => ({
        ...field,
        place: `${type.name}.${field.name}`,
        type: getNamedType(field.type).name,
        isInput: true,
      })),
    ];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [typePart];
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const coordinate = `${type.name}.${field.name}`;
    const args = field.args.map((arg) => ({
      ...arg,
      place: `${coordinate}(${arg.name}:)`,
      type: getNamedType(arg.type).name,
      isInput: true,
    }));
    return [{ ...field, place: coordinate, type: getNamedType(field.type).name }, ...args];
  });
  return [typePart, ...fields];
};

const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
const parts = types.filter((type) => !isSpecifiedScalarType(type)).flatMap(partsOf);
const objects = types.filter(isObjectType);

describe('the schema', () => {
  test('is the one in schema.graphql', () => {
    const printed = printSchema(lexicographicSortSchema(schema));
    const stored = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
    expect(stored.trim()).toBe(printed.trim());
  });

  test('describes every type, field, argument, enum value and input field in a sentence', () => {
    expect(parts.length).toBeGreaterThan(400);
    const undocumented = parts.filter(
      ({ description }) => !/^\S.*[.:`!?]$/s.test(description ?? ''),
    );
    expect(undocumented.map(({ place }) => place)).toEqual([]);
  });

  test('shows an example of every text that a client has to write', () => {
    const written = parts.filter(
      ({ isInput, type }) => isInput && (type === 'String' || type === 'ID'),
    );
    expect(written.length).toBeGreaterThan(20);
    const undocumented = written.filter(({ description }) => !/`[^`]+`/.test(description ?? ''));
    const coordinates = undocumented
      .map(({ place }) => place)
      .filter((place) => !/\((after|before):\)$/.test(place));
    // Any text is valid. Filter values are shown where they are used.
    expect(coordinates.toSorted()).toEqual([
      'FeatureFilter.text',
      'ProjectFilter.text',
      'StringFilter.anyOf',
      'StringFilter.contains',
      'StringFilter.is',
      'StringFilter.noneOf',
      'StringFilter.startsWith',
    ]);
  });

  test('specifies the URL of every custom scalar', () => {
    const own = types.filter(isScalarType).filter((type) => !isSpecifiedScalarType(type));
    expect(own.map(({ name, specifiedByURL }) => [name, specifiedByURL])).toEqual([
      ['DateTime', 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6'],
      ['Duration', 'https://www.rfc-editor.org/rfc/rfc3339#appendix-A'],
      ['JSON', expect.stringMatching(/^https:.*ecma-404/)],
      ['JSONObject', expect.stringMatching(/^https:.*ecma-404/)],
    ]);
  });

  test('has node IDs for all refetchable objects, and edges of other types only for clean-up candidates and counts', () => {
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
    expect(without.map(({ name }) => name)).toEqual([
      'CleanUpEdge',
      'EventAuthorCountEdge',
      'EventFeatureCountEdge',
      'EventProjectCountEdge',
    ]);
  });

  test('does not repeat the name of a type in its fields, and starts no name with an underscore', () => {
    const coordinates = parts.flatMap(({ place }) => {
      const [, type = '', field = ''] = /^(\w+)\.(\w+)$/.exec(place) ?? [];
      return [type, field].some((name) => name.startsWith('_')) ||
        (type !== '' && field.toLowerCase().startsWith(type.toLowerCase()))
        ? [place]
        : [];
    });
    expect(coordinates).toEqual(['Node.nodeId']);
  });

  test('names the replacement of every deprecated element', () => {
    const deprecated = parts.filter(({ deprecationReason }) => deprecationReason);
    expect(deprecated.map(({ place, deprecationReason }) => [place, deprecationReason])).toEqual([
      [
        'Feature.lastSeenAt',
        'Use FeatureEnvironment.lastSeenAt. Deprecated since version 5 of Unleash.',
      ],
      [
        'Feature.variants',
        'Use FeatureEnvironment.variants. Deprecated since version 5 of Unleash, to be removed in a future major version.',
      ],
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

  test('marks experimental elements at the start of their descriptions', () => {
    const children = parts.find(({ place }) => place === 'Feature.children');
    expect(children?.description).toMatch(/^Experimental/);
  });

  test('has every event type of the API document, and OTHER', () => {
    const eventType = schema.getType('EventType');
    const names = isEnumType(eventType) ? eventType.getValues().map(({ name }) => name) : [];
    const expected = EVENT_TYPES.map((type) => type.replaceAll('-', '_').toUpperCase());
    expect(names.toSorted()).toEqual([...expected, 'OTHER'].toSorted());
  });

  test('has the expected queries, two mutations and one subscription', () => {
    const queries = Object.keys(schema.getQueryType()?.getFields() ?? {});
    expect(queries.toSorted()).toEqual([
      'activity',
      'cleanUp',
      'clonePlan',
      'environments',
      'event',
      'eventFacets',
      'eventLog',
      'events',
      'feature',
      'features',
      'integration',
      'integrationEvents',
      'integrations',
      'node',
      'nodes',
      'project',
      'projectHealthReport',
      'projects',
      'segments',
      'users',
      'viewer',
    ]);
    expect(Object.keys(schema.getMutationType()?.getFields() ?? {})).toEqual([
      'cloneFeature',
      'cloneFeatures',
    ]);
    expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {})).toEqual(['events']);
  });

  test('has no custom directive', () => {
    const own = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
    expect(own.map(({ name }) => name)).toEqual([]);
  });

  test('has no field that could expose a secret', () => {
    const fields = parts.map(({ place }) => place);
    // Enum values, all in upper case, may contain such names.
    const secrets = /\.(?![A-Z])\w*([sS]ecret|[pP]assword|[tT]oken)/;
    expect(fields.filter((place) => secrets.test(place))).toEqual([]);
    expect('Viewer.apiToken').toMatch(secrets);
    expect(fields).not.toContain('Integration.parameters');
    expect(fields).not.toContain('User.email');
  });
});
