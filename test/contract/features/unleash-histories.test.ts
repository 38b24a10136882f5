import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/data/connect.js';
import { userActor } from '../../testkit/actors.js';
import { describeWithDatabase } from '../../testkit/database.js';
import { featuresAsOf, timelinesOf } from '../../testkit/history-queries.js';

type RecordedEvent = {
  id: number;
  created_at: string;
  type: string;
  feature_name: string | null;
  environment: string | null;
  project: string | null;
  ip: string | null;
  tags: object | null;
  data: object | null;
  pre_data: object | null;
};

type RecordedState = Record<string, unknown> & {
  environments: Record<string, { enabled: boolean; variants: unknown; strategies: unknown }>;
};

/** The event log of a running Unleash, and its tables after each call that changed a feature; null once it was deleted. */
type Recording = {
  version: string;
  events: RecordedEvent[];
  moments: { time: string; feature: string; state: RecordedState | null }[];
};

const recordingOf = (version: string): Recording =>
  JSON.parse(
    readFileSync(new URL(`../../testkit/recorded/${version}.json`, import.meta.url), 'utf8'),
  );

describe.each(['6.6.0', '8.2.0'])('the history of Unleash %s', (version) => {
  const { events, moments } = recordingOf(version);
  const DELETIONS = ['features-imported', 'feature-deleted', 'environment-deleted'];
  const isRemovedAfter = (time: string, id: unknown): boolean =>
    events.some(
      ({ created_at, type, pre_data }) =>
        new Date(created_at) > new Date(time) &&
        (DELETIONS.includes(type) ||
          (type === 'feature-strategy-remove' && JSON.stringify(pre_data).includes(String(id)))),
    );

  describeWithDatabase('replayed', (open) => {
    let database: Database;
    beforeAll(async () => {
      database = await open();
      await database.client.event.createMany({
        data: events.map((event) => ({
          id: event.id,
          createdAt: new Date(event.created_at),
          type: event.type,
          createdBy: 'admin',
          featureName: event.feature_name,
          environment: event.environment,
          projectId: event.project,
          ip: event.ip,
          ...(event.tags && { tags: event.tags }),
          ...(event.data && { data: event.data }),
          ...(event.pre_data && { preData: event.pre_data }),
        })),
      });
    });

    test('equals its tables after every call', async () => {
      let known = 0;
      let unknown = 0;
      for (const { time, feature, state } of moments) {
        const where = `${feature} at ${time}`;
        const input = { names: [feature], time: new Date(time) };
        const actual = (await featuresAsOf(database.client, userActor(true), input)).get(feature);
        expect(actual?.existence, where).toBe(state === null ? 'DELETED' : 'EXISTED');
        if (!actual || state === null) continue;

        for (const [aspect, is] of Object.entries(actual.aspects)) {
          if (is) expect(is.value, `${aspect} of ${where}`).toEqual(state[aspect]);
          if (is) known += 1;
          else unknown += 1;
        }
        for (const { environment, state: is, strategies, variants } of actual.environments) {
          const expected = state.environments[environment];
          const label = `${where} in ${environment}`;
          expect(is, label).toBe(expected?.enabled ? 'ENABLED' : 'DISABLED');
          if (variants) expect(variants.value, label).toEqual(expected?.variants ?? []);
          // While its project lacks an environment, a feature keeps its strategies for later.
          if (!strategies || !expected) continue;
          expect(strategies.isOrderUnknown, label).toBeUndefined();
          const list = strategies.value.map(({ sortOrder: _, ...strategy }) => strategy);
          const recorded = expected.strategies as { id: string; segments: unknown }[];
          const unconfirmed = list.filter(({ segments }) => segments === null);
          // Unleash does not record the segments of a strategy that it removes.
          for (const { id } of unconfirmed) expect(isRemovedAfter(time, id), label).toBe(true);
          const ids = unconfirmed.map(({ id }) => id);
          expect(list, label).toEqual(
            recorded.map((one) => (ids.includes(one.id) ? { ...one, segments: null } : one)),
          );
          known += 1;
        }
      }
      expect(known).toBeGreaterThan(400);
      expect(unknown).toBe(0);
    });

    test('has the same enabled periods', async () => {
      const names = [...new Set(moments.map(({ feature }) => feature))];
      for (const environment of ['development', 'production']) {
        const input = { names, environment, last: 1000 };
        const timelines = await timelinesOf(database.client, userActor(true), input);
        for (const { time, feature, state } of moments) {
          const timestamp = new Date(time);
          const period = timelines
            .get(feature)
            ?.find(
              ({ from, to }) => from !== null && from <= timestamp && !(to && to <= timestamp),
            );
          const expected =
            state && (state.environments[environment]?.enabled ? 'ENABLED' : 'DISABLED');
          expect(period?.state ?? null, `${feature} in ${environment} at ${time}`).toBe(expected);
        }
      }
    });
  });
});
