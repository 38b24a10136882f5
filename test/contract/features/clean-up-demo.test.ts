import { expect, test } from 'vitest';
import type { CleanUpKind } from '../../../src/data/projects/clean-up-kinds.js';
import { countCleanUpOf } from '../../../src/domain/projects/clean-up/count-clean-up.js';
import { listCleanUp } from '../../../src/domain/projects/clean-up/list-clean-up.js';
import { countHealth } from '../../../src/domain/projects/health.js';
import { userActor } from '../../testkit/actors.js';
import { DEMO_DAY, describeWithDemo } from '../../testkit/app.js';

const DAY_MS = 86_400_000;

describeWithDemo('clean-up candidates of the demo world', ({ gateway, database }) => {
  const actor = userActor(true);

  test('match the counts of every project', async () => {
    const { data } =
      await gateway().graphql(`{ projects(filter: { archived: null }) { nodes { id health {
      staleCount potentiallyStaleCount cleanUp(first: 1) { counts { kind count } } } } } }`);
    expect(data.projects.nodes.length).toBeGreaterThan(4);
    for (const { health } of data.projects.nodes) {
      const count = (kind: string) =>
        health.cleanUp.counts.find((counted: { kind: string }) => counted.kind === kind).count;
      expect(count('STALE')).toBe(health.staleCount);
      expect(count('POTENTIALLY_STALE')).toBe(health.potentiallyStaleCount);
    }
  });

  test('match these counts around the timestamps at which features exceed their lifetime', async () => {
    const { client } = database();
    const features = await client.feature.findMany({ where: { archivedAt: null } });
    const types = await client.featureType.findMany();
    const lifetimes = new Map(types.map(({ id, lifetimeDays }) => [id, lifetimeDays]));
    const ends = features.flatMap(({ createdAt, type }) => {
      const days = lifetimes.get(type ?? '') ?? null;
      return createdAt && days !== null ? [createdAt.getTime() + days * DAY_MS] : [];
    });
    const projectIds = [...new Set(features.flatMap(({ projectId }) => projectId ?? []))];
    const timestamps = ends.filter((_, index) => index % 6 === 0).flatMap((end) => [end - 1, end]);
    expect(timestamps.length).toBeGreaterThan(8);
    for (const now of timestamps.map((timestamp) => new Date(timestamp))) {
      const tallies = await countCleanUpOf(client, actor, { projectIds, criteria: {}, now });
      for (const id of projectIds) {
        const count = (kind: CleanUpKind) =>
          tallies.get(id)?.counts.find((counted) => counted.kind === kind)?.count ?? 0;
        const own = features.filter(({ projectId }) => projectId === id);
        const health = countHealth(own, lifetimes, now);
        expect(count('stale')).toBe(health.staleCount);
        expect(count('potentially-stale')).toBe(health.potentiallyStaleCount);
      }
    }
  });

  test('are the intended ones on the day the demo world is loaded', async () => {
    const { rows } = await listCleanUp(database().client, actor, {
      criteria: { kinds: ['stale', 'completed', 'fully-rolled-out', 'not-seen'] },
      page: { limit: 100 },
      now: DEMO_DAY,
    });
    expect(
      rows.map(({ feature, reasons }) => [feature.name, reasons.map(({ kind }) => kind)]),
    ).toEqual([
      ['android.material-refresh', ['stale', 'fully-rolled-out']],
      ['search-typo-tolerance', ['stale', 'not-seen']],
      ['returns-grading', ['stale']],
      ['checkout-one-page', ['completed', 'potentially-stale']],
      ['welcome-tour', ['fully-rolled-out', 'potentially-stale']],
      ['dealer-search', ['fully-rolled-out', 'potentially-stale']],
      ['payments-wallets', ['fully-rolled-out', 'potentially-stale']],
      ['stock-sync-v3', ['fully-rolled-out', 'potentially-stale']],
      ['A-B_Test.v1~(draft)', ['not-seen']],
      ['ios.widget-gallery', ['not-seen']],
      ['payments-instant-transfer', ['not-seen']],
      ['newsletter-popup', ['not-seen']],
    ]);
  });
});
