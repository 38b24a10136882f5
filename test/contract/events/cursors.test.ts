import { getNamedType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../../src/graphql/schema/index.js';
import { describeWithDemo } from '../../testkit/app.js';

/** Every list of the graph: its parent fields, and a condition that some of its items match, if it takes one. */
const LISTS: Record<string, { within: string[]; condition?: string }> = {
  'Query.events': { within: [], condition: 'filter: { environmentName: { is: "production" } }' },
  'Query.features': { within: [], condition: 'filter: { type: { is: "release" } }' },
  'Query.projects': { within: [], condition: 'filter: { archived: null }' },
  'Query.cleanUp': { within: [], condition: 'filter: { projectId: { is: "web-shop" } }' },
  'Query.integrationEvents': { within: [], condition: 'filter: { state: { is: SUCCESS } }' },
  'Project.events': {
    within: ['project(id: "web-shop")'],
    condition: 'filter: { environmentName: { is: "production" } }',
  },
  'Project.features': {
    within: ['project(id: "web-shop")'],
    condition: 'filter: { type: { is: "release" } }',
  },
  'ProjectHealth.cleanUp': {
    within: ['project(id: "web-shop")', 'health'],
    condition: 'filter: { kind: { is: STALE } }',
  },
  'Feature.events': {
    within: ['feature(name: "checkout-one-page")'],
    condition: 'filter: { environmentName: { is: "production" } }',
  },
  'EventGroup.events': {
    within: ['event(id: 2212)', 'group'],
    condition: 'filter: { environmentName: { is: "production" } }',
  },
  'Integration.deliveries': {
    within: ['integration(id: 1)'],
    condition: 'filter: { state: { is: SUCCESS } }',
  },
  'Environment.features': {
    within: ['feature(name: "yearly-survey")', 'environments', 'environment'],
    condition: 'filter: { type: { is: "release" } }',
  },
  'Event.deliveries': {
    within: ['event(id: 2236)'],
    condition: 'filter: { state: { is: SUCCESS } }',
  },
  'EventFacets.authors': { within: ['eventFacets'], condition: 'search: "olu"' },
  'EventFacets.features': { within: ['eventFacets'], condition: 'search: "checkout"' },
  'EventFacets.projects': { within: ['eventFacets'], condition: 'search: "pay"' },
  'FeatureEnvironment.events': {
    within: ['feature(name: "yearly-survey")', 'environments'],
    condition: 'filter: { type: { is: FEATURE_STRATEGY_ADD } }',
  },
  'Query.segments': { within: [], condition: 'search: "testers"' },
  'Query.users': { within: [], condition: 'search: "ada"' },
  'Segment.strategies': { within: ['segments(search: "testers")', 'nodes'] },
  'User.events': {
    within: ['users(search: "Ada Berg")', 'nodes'],
    condition: 'filter: { type: { is: USER_CREATED } }',
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
    const { data, errors: all } = await gateway().graphql(query);
    // Of several parents, the cursor is one of the first.
    const ofFirst = all?.filter(({ path }) =>
      path?.every((step: string | number) => !step || step === '0' || Number.isNaN(Number(step))),
    );
    const errors = ofFirst?.length ? ofFirst : undefined;
    const firstOf = (value: unknown) => (Array.isArray(value) ? value[0] : value);
    return { list: steps.reduce((value, _step) => firstOf(value?.of), data), errors };
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
    async (place, { condition }) => {
      const plain = await cursorOf(place, '');
      const filter = condition === undefined ? '' : `, ${condition}`;
      const filtered = await cursorOf(place, filter);
      const foreign = await cursorOf(
        place === 'Query.features' ? 'Query.events' : 'Query.features',
        '',
      );
      for (const [cursor, args] of [
        [plain, ''],
        [filtered, filter],
      ]) {
        expect(
          (await readList(place, `first: 1, after: "${cursor}"${args}`, '__typename')).errors,
        ).toBeUndefined();
      }
      for (const [cursor, args] of [
        ...(condition === undefined ? [] : [[plain, filter] as const, [filtered, ''] as const]),
        [foreign, ''] as const,
      ]) {
        for (const paging of [`first: 1, after: "${cursor}"`, `last: 1, before: "${cursor}"`]) {
          const { errors } = await readList(place, `${paging}${args}`, '__typename');
          expect(errors).toMatchObject([
            {
              message: `'${paging.includes('after') ? 'after' : 'before'}' is a cursor of another list, or of another filter or order. Use a cursor that this list returned for the same filter, or omit it to start over.`,
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
