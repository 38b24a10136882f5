import { expect, test } from 'vitest';
import { createLoaders } from '../../src/data/loaders.js';
import type { CleanUpKind } from '../../src/domain/projects/clean-up/clean-up-kinds.js';
import { countCleanUpOf } from '../../src/domain/projects/clean-up/count-clean-up.js';
import { listCleanUp } from '../../src/domain/projects/clean-up/list-clean-up.js';
import { getHealthCounts } from '../../src/domain/projects/get-health-report.js';
import { actorWho } from '../testkit/actors.js';
import { DEMO_DAY, describeDemoOnBothDatabases } from '../testkit/app.js';

const DAY_MS = 86_400_000;

describeDemoOnBothDatabases('what to clean up in the demo world', ({ gateway, database }) => {
  const actor = actorWho(true);

  test('agrees with the counts of every project', async () => {
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

  test('agrees with these counts on every day since the world began, to the millisecond', async () => {
    const { client } = database();
    const projects = await client.project.findMany();
    const ids = projects.map(({ id }) => id);
    const features = await client.feature.findMany({ where: { archivedAt: null } });
    const birthdays = features.flatMap(({ createdAt }) =>
      createdAt ? [7, 40].map((days) => createdAt.getTime() + days * DAY_MS) : [],
    );
    const moments = birthdays.filter((_, index) => index % 5 === 0).flatMap((at) => [at - 1, at]);
    for (const now of moments.map((moment) => new Date(moment))) {
      const tallies = await countCleanUpOf(client, actor, { projectIds: ids, criteria: {}, now });
      const loaders = createLoaders(client, actor.userId, async () => []);
      for (const id of ids) {
        const count = (kind: CleanUpKind) =>
          tallies.get(id)?.counts.find((counted) => counted.kind === kind)?.count ?? 0;
        const health = await getHealthCounts(loaders, id, now);
        expect(count('stale')).toBe(health.staleCount);
        expect(count('potentially-stale')).toBe(health.potentiallyStaleCount);
      }
    }
  });

  test('is what the world was made for, on its day', async () => {
    const { rows } = await listCleanUp(database().client, actor, {
      criteria: { kinds: ['stale', 'completed', 'fully-rolled-out', 'never-seen'] },
      page: { limit: 100 },
      now: DEMO_DAY,
    });
    expect(
      rows.map(({ feature, reasons }) => [feature.name, reasons.map(({ kind }) => kind)]),
    ).toEqual([]);
  });
});
