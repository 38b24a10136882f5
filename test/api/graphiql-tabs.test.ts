import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { graphiqlTabs } from '../../src/pages/graphiql-tabs.js';
import { DEMO_DAY, describeDemoOnBothDatabases } from '../testkit/app.js';
import { openEventStream } from '../testkit/event-stream.js';

const tabs = graphiqlTabs(DEMO_DAY).map(({ query, variables }) => {
  const [operation] = parse(query).definitions;
  if (operation?.kind !== 'OperationDefinition') throw new Error('A tab without an operation.');
  const name = operation.name?.value ?? '';
  return { name, type: operation.operation, query, variables: JSON.parse(variables ?? '{}') };
});

/** Whether any list on the way to a leaf is empty, or anything but a leaf missing. */
const emptyPlaces = (value: unknown, path = ''): string[] => {
  if (Array.isArray(value)) {
    return value.length === 0
      ? [path]
      : value.flatMap((item, index) => emptyPlaces(item, `${path}.${index}`));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => emptyPlaces(item, `${path}.${key}`));
};

describeDemoOnBothDatabases('the tabs of GraphiQL', ({ gateway }) => {
  test('stand for the questions people have', () => {
    expect(tabs.map(({ name }) => name)).toEqual([
      'Welcome',
      'WhoTurnedItOn',
      'HowDidItStand',
      'WhatDidItChange',
      'WhoDidWhatLastWeek',
      'WhyDidItNotFire',
      'WhatCanWeDelete',
      'WhatWouldItCopy',
      'FollowLive',
    ]);
  });

  test.each(tabs)('$name fits into a narrow editor', ({ query }) => {
    expect(query.split('\n').filter((line) => line.length > 52)).toEqual([]);
    expect(query.match(/^#.{45,}$/gm)).toBeNull();
  });

  test.each(tabs.filter(({ type }) => type !== 'subscription'))(
    '$name has an answer in the demo world',
    async ({ query, variables }) => {
      const { status, data, errors } = await gateway().graphql(query, variables);
      expect(errors).toBeUndefined();
      expect(status).toBe(200);
      const [answer] = Object.values(data);
      expect(answer).not.toBeNull();
      const mayBeEmpty = /dependencies|parameters|refusals|unknown/;
      expect(emptyPlaces(data).filter((place) => !mayBeEmpty.test(place))).toEqual([]);
    },
  );

  test('the first ones tell what they are there to tell', async () => {
    const ask = async (wanted: string) => {
      const tab = tabs.find(({ name }) => name === wanted);
      return (await gateway().graphql(tab?.query ?? '', tab?.variables)).data;
    };
    const { feature } = await ask('WhoTurnedItOn');
    expect(feature.timeline[1]).toMatchObject({
      state: 'ENABLED',
      startedBy: { createdBy: 'goran.petrovic@harbour-pine.example' },
    });
    const { integration } = await ask('WhyDidItNotFire');
    expect(integration.explain.reasons[0].code).toBe('OTHER_PROJECT');
    const states = integration.events.nodes.map(({ state }: { state: string }) => state);
    expect(new Set(states)).toEqual(new Set(['failed', 'successWithErrors']));
    const stood = (await ask('HowDidItStand')).feature.asOf;
    expect(stood).toMatchObject({ existence: 'EXISTED', lastEvent: {}, nextEvent: {} });
    const [update] = (await ask('WhatDidItChange')).events.nodes;
    expect(update).toMatchObject({ nodeId: expect.any(String), changes: [{}] });
    const { eventActivity } = await ask('WhoDidWhatLastWeek');
    expect(eventActivity.buckets[0].start).toBe('2026-02-23T00:00:00.000Z');
    expect(eventActivity.byActor.length).toBeGreaterThan(1);
    const { cloneFeature } = await ask('WhatWouldItCopy');
    expect(cloneFeature.wouldSucceed).toBe(true);
    const gone = await gateway().graphql('{ feature(name: "checkout-vouchers") { name } }');
    expect(gone.data.feature).toBeNull();
  });

  test('WhatWouldItCopy says why a clone would be refused', async () => {
    const tab = tabs.find(({ name }) => name === 'WhatWouldItCopy');
    const input = { ...tab?.variables.input, name: 'checkout-one-page' };
    const { data } = await gateway().graphql(tab?.query ?? '', { input });
    expect(data.cloneFeature).toMatchObject({
      wouldSucceed: false,
      refusals: [
        { name: 'NameExistsError', message: expect.stringContaining('checkout-one-page') },
      ],
    });
  });

  test('their times stay the same for a day', () => {
    const at = (time: string) => graphiqlTabs(new Date(time));
    expect(at('2026-05-01T00:00:00Z')).toEqual(at('2026-05-01T23:59:59.999Z'));
    expect(at('2026-05-02T00:00:00Z')).not.toEqual(at('2026-05-01T23:59:59.999Z'));
    expect(at('2026-05-31T08:00:00Z')[2]?.variables).toContain('"2026-05-01T00:00:00.000Z"');
  });

  test('FollowLive shows what happens meanwhile', async () => {
    const tab = tabs.find(({ type }) => type === 'subscription');
    const stream = await openEventStream(gateway().url, tab?.query ?? '');
    await gateway().graphql(
      'mutation { cloneFeature(input: { feature: "welcome-tour", name: "tour-of-the-tab" }) { __typename } }',
    );
    const result = await stream.next();
    expect(result?.errors).toBeUndefined();
    expect(result?.data.events.node.summary).toContain('tour-of-the-tab');
    await stream.close();
  });
});
