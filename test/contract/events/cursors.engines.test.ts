import { getNamedType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../../src/graphql/schema/index.js';
import { describeWithDemo } from '../../testkit/app.js';

/** Every list of the graph: its parent fields, and a filter that matches some of its items. */
const LISTS: Record<string, { within: string[]; filter: string }> = {
  'Query.events': { within: [], filter: '{ environmentName: { is: "production" } }' },
  'Query.features': { within: [], filter: '{ type: { is: "release" } }' },
  'Query.projects': { within: [], filter: '{ archived: null }' },
  'Query.cleanUp': { within: [], filter: '{ projectId: { is: "web-shop" } }' },
  'Query.integrationEvents': { within: [], filter: '{ state: { is: SUCCESS } }' },
  'Project.events': {
    within: ['project(id: "web-shop")'],
    filter: '{ environmentName: { is: "production" } }',
  },
  'Project.features': {
    within: ['project(id: "web-shop")'],
    filter: '{ type: { is: "release" } }',
  },
  'ProjectHealth.cleanUp': {
    within: ['project(id: "web-shop")', 'health'],
    filter: '{ kind: { is: STALE } }',
  },
  'Feature.events': {
    within: ['feature(name: "checkout-one-page")'],
    filter: '{ environmentName: { is: "production" } }',
  },
  'EventGroup.events': {
    within: ['event(id: 2212)', 'group'],
    filter: '{ environmentName: { is: "production" } }',
  },
  'Integration.deliveries': {
    within: ['integration(id: 1)'],
    filter: '{ state: { is: SUCCESS } }',
  },
};

describeWithDemo('cursors', ({ gateway }) => {
  const readList = async (place: string, args: string, selection: string) => {
    const [, field = ''] = place.split('.');
    const allArgs = place === 'Query.integrationEvents' ? `integrationId: 1, ${args}` : args;
    const steps = [...(LISTS[place]?.within ?? []), `${field}(${allArgs})`];
    const query = steps.reduceRight(
      (inner, step) => `{ of: ${step} ${inner} }`,
      `{ ${selection} }`,
    );
    const { data, errors } = await gateway().graphql(query);
    return { list: steps.reduce((value, _step) => value?.of, data), errors };
  };
  const cursorOf = async (place: string, args: string): Promise<string> => {
    const { list, errors } = await readList(place, `first: 1${args}`, 'edges { cursor }');
    expect([place, errors]).toEqual([place, undefined]);
    expect([place, list.edges.length]).toEqual([place, 1]);
    return list.edges[0].cursor;
  };

  test('are tested for every list', () => {
    const places = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((owner) =>
        Object.values(owner.getFields())
          .filter(({ type }) => getNamedType(type).name.endsWith('Connection'))
          .map(({ name }) => `${owner.name}.${name}`),
      );
    expect(Object.keys(LISTS).toSorted()).toEqual(places.toSorted());
  });

  test.each(Object.entries(LISTS))(
    'of %s are accepted by the same list with the same filter only',
    async (place, { filter }) => {
      const plain = await cursorOf(place, '');
      const filtered = await cursorOf(place, `, filter: ${filter}`);
      const foreign = await cursorOf(
        place === 'Query.features' ? 'Query.events' : 'Query.features',
        '',
      );
      for (const [cursor, args] of [
        [plain, ''],
        [filtered, `, filter: ${filter}`],
      ]) {
        expect(
          (await readList(place, `first: 1, after: "${cursor}"${args}`, '__typename')).errors,
        ).toBeUndefined();
      }
      for (const [cursor, args] of [
        [plain, `, filter: ${filter}`],
        [filtered, ''],
        [foreign, ''],
      ]) {
        for (const paging of [`first: 1, after: "${cursor}"`, `last: 1, before: "${cursor}"`]) {
          const { errors } = await readList(place, `${paging}${args}`, '__typename');
          expect(errors).toMatchObject([
            {
              message: `'${paging.includes('after') ? 'after' : 'before'}' is a cursor of another list or of another filter. Use a cursor that this list returned for the same filter, or omit it to start over.`,
              extensions: { code: 'BAD_USER_INPUT' },
            },
          ]);
        }
      }
      const { errors } = await readList(place, 'first: 1, after: "forged"', '__typename');
      expect(errors?.[0].message).toBe(
        "'after' is not a cursor of this API. Use a cursor that this list returned for the same filter, or omit it to start over.",
      );
    },
  );
});
