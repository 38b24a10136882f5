import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/data/connect.js';
import { actorWho } from '../testkit/actors.js';
import { describeOnBothDatabases } from '../testkit/database.js';
import { featuresAsOf, timelinesOf } from '../testkit/told-pasts.js';

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

/** The log of a running original, and its tables after every call that changed a feature; null once it was deleted. */
type Recording = {
  version: string;
  events: RecordedEvent[];
  moments: { time: string; feature: string; state: RecordedState | null }[];
};

const recordingOf = (version: string): Recording =>
  JSON.parse(readFileSync(new URL(`../testkit/recorded/${version}.json`, import.meta.url), 'utf8'));

describe.each(['6.6.0', '8.2.0'])('what an original of version %s did', (version) => {
  const { events, moments } = recordingOf(version);

  describeOnBothDatabases('replayed', (open) => {
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

    test('is what its tables said after every single call', async () => {
      let known = 0;
      let unknown = 0;
      for (const { time, feature, state } of moments) {
        const where = `${feature} at ${time}`;
        const input = { names: [feature], time: new Date(time) };
        const told = (await featuresAsOf(database.client, actorWho(true), input)).get(feature);
        expect(told?.existence, where).toBe(state === null ? 'DELETED' : 'EXISTED');
        if (!told || state === null) continue;

        for (const [aspect, is] of Object.entries(told.aspects)) {
          if (is) expect(is.value, `${aspect} of ${where}`).toEqual(state[aspect]);
          if (is) known += 1;
          else unknown += 1;
        }
        for (const { environment, state: is, strategies, variants } of told.environments) {
          const here = state.environments[environment];
          const place = `${where} in ${environment}`;
          expect(is, place).toBe(here?.enabled ? 'ENABLED' : 'DISABLED');
          if (variants) expect(variants.value, place).toEqual(here?.variants ?? []);
          // While its project is without an environment, a feature keeps its strategies for later.
          if (!strategies || !here) continue;
          const list = strategies.value.map(({ sortOrder: _, ...strategy }) => strategy);
          expect(list, place).toEqual(here.strategies);
          known += 1;
        }
      }
      expect(known).toBeGreaterThan(400);
      expect(unknown).toBe(0);
    });

    test('is on and off at the same moments', async () => {
      const names = [...new Set(moments.map(({ feature }) => feature))];
      for (const environment of ['development', 'production']) {
        const input = { names, environment, last: 1000 };
        const timelines = await timelinesOf(database.client, actorWho(true), input);
        for (const { time, feature, state } of moments) {
          const moment = new Date(time);
          const period = timelines
            .get(feature)
            ?.find(({ from, to }) => from !== null && from <= moment && !(to && to <= moment));
          const expected =
            state && (state.environments[environment]?.enabled ? 'ENABLED' : 'DISABLED');
          expect(period?.state ?? null, `${feature} in ${environment} at ${time}`).toBe(expected);
        }
      }
    });
  });
});
