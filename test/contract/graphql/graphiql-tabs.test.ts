import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { graphiqlTabs } from '../../../src/pages/graphiql-tabs.js';
import { DEMO_DAY, describeWithDemo } from '../../testkit/app.js';
import { openEventStream } from '../../testkit/event-stream.js';

const tabs = graphiqlTabs(DEMO_DAY).map(({ query, variables }) => {
  const [operation] = parse(query).definitions;
  if (operation?.kind !== 'OperationDefinition') throw new Error('A tab without an operation.');
  const name = operation.name?.value ?? '';
  return { name, type: operation.operation, query, variables: JSON.parse(variables ?? '{}') };
});

/** The paths of all empty lists. */
const emptyPaths = (value: unknown, path = ''): string[] => {
  if (Array.isArray(value)) {
    return value.length === 0
      ? [path]
      : value.flatMap((item, index) => emptyPaths(item, `${path}.${index}`));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => emptyPaths(item, `${path}.${key}`));
};

describeWithDemo('the tabs of GraphiQL', ({ gateway }) => {
  test('cover the common questions', () => {
    expect(tabs.map(({ name }) => name)).toEqual([
      'Welcome',
      'WhoTurnedItOn',
      'HowWasItSetUp',
      'WhatDidItChange',
      'WhoDidWhat',
      'WhyDidItNotFire',
      'WhatCanWeDelete',
      'WhatWouldItCopy',
      'FollowLive',
    ]);
  });

  test.each(tabs)('have a query that fits a narrow editor: $name', ({ query }) => {
    expect(query.split('\n').filter((line) => line.length > 52)).toEqual([]);
    expect(query.match(/^#.{45,}$/gm)).toBeNull();
  });

  test.each(tabs.filter(({ type }) => type !== 'subscription'))(
    'return data in the demo world: $name',
    async ({ query, variables }) => {
      const { status, data, errors } = await gateway().graphql(query, variables);
      expect(errors).toBeUndefined();
      expect(status).toBe(200);
      const [result] = Object.values(data);
      expect(result).not.toBeNull();
      const mayBeEmpty = /dependencies|parameters|refusals|unknown/;
      expect(emptyPaths(data).filter((path) => !mayBeEmpty.test(path))).toEqual([]);
    },
  );

  test('return the expected results', async () => {
    const runTab = async (tabName: string) => {
      const tab = tabs.find(({ name }) => name === tabName);
      return (await gateway().graphql(tab?.query ?? '', tab?.variables)).data;
    };
    const { feature } = await runTab('WhoTurnedItOn');
    expect(feature.timeline[1]).toMatchObject({
      state: 'ENABLED',
      startedBy: { createdBy: 'goran.petrovic@harbour-pine.example' },
    });
    const { integration } = await runTab('WhyDidItNotFire');
    expect(integration.explain.reasons[0].code).toBe('OTHER_PROJECT');
    const states = integration.deliveries.nodes.map(({ state }: { state: string }) => state);
    expect(new Set(states)).toEqual(new Set(['FAILED', 'SUCCESS_WITH_ERRORS']));
    const asOf = (await runTab('HowWasItSetUp')).feature.asOf;
    expect(asOf).toMatchObject({ existence: 'EXISTED', lastEvent: {}, nextEvent: {} });
    const [update] = (await runTab('WhatDidItChange')).events.nodes;
    expect(update).toMatchObject({ nodeId: expect.any(String), changes: [{}] });
    const { activity } = await runTab('WhoDidWhat');
    expect(activity.buckets[0].from).toBe('2026-02-23T00:00:00.000Z');
    expect(activity.byAuthor.length).toBeGreaterThan(1);
    const { clonePlan } = await runTab('WhatWouldItCopy');
    expect(clonePlan.wouldSucceed).toBe(true);
    const missing = await gateway().graphql('{ feature(name: "checkout-vouchers") { name } }');
    expect(missing.data.feature).toBeNull();
  });

  test('report why a clone would be rejected (WhatWouldItCopy)', async () => {
    const tab = tabs.find(({ name }) => name === 'WhatWouldItCopy');
    const input = { ...tab?.variables.input, newName: 'checkout-one-page' };
    const { data } = await gateway().graphql(tab?.query ?? '', { input });
    expect(data.clonePlan).toMatchObject({
      wouldSucceed: false,
      refusals: [
        { name: 'NameExistsError', message: expect.stringContaining('checkout-one-page') },
      ],
    });
  });

  test('keep their timestamps for a day', () => {
    const at = (time: string) => graphiqlTabs(new Date(time));
    expect(at('2026-05-01T00:00:00Z')).toEqual(at('2026-05-01T23:59:59.999Z'));
    expect(at('2026-05-02T00:00:00Z')).not.toEqual(at('2026-05-01T23:59:59.999Z'));
    expect(at('2026-05-31T08:00:00Z')[2]?.variables).toContain('"2026-05-01T00:00:00.000Z"');
  });

  test('deliver new events (FollowLive)', async () => {
    const tab = tabs.find(({ type }) => type === 'subscription');
    const stream = await openEventStream(gateway().url, tab?.query ?? '');
    await gateway().graphql(
      'mutation { cloneFeature(input: { featureName: "welcome-tour", newName: "tour-of-the-tab" }) { __typename } }',
    );
    const result = await stream.next();
    expect(result?.errors).toBeUndefined();
    expect(result?.data.events.node.summary).toContain('tour-of-the-tab');
    await stream.close();
  });
});
