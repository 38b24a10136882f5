import { expect, test } from 'vitest';
import { createLoaders } from '../../../src/data/loaders.js';
import { Actor } from '../../../src/domain/actor.js';
import { listFeatureRecords } from '../../../src/domain/features/feature-record.js';
import { createHealthReports } from '../../../src/domain/projects/get-health-report.js';
import { adminActor } from '../../testkit/actors.js';
import { describeWithDatabase } from '../../testkit/database.js';

const MAX_CACHED = 500_000;
const USERS = 40;

describeWithDatabase('cached health reports', (open) => {
  test('are limited by their size, and the least recently used are evicted', async () => {
    const { client } = await open({ world: 'demo' });
    const getReport = createHealthReports({ maxCacheSize: MAX_CACHED });
    const noAuthors = async () => [];
    const reportFor = (userId: number) => {
      const actor = new Actor({ ...adminActor, userId });
      return getReport(
        createLoaders(client, actor, noAuthors),
        (where, last) => listFeatureRecords(client, actor, noAuthors, where, last),
        actor,
        'default',
      );
    };

    const reports = [];
    for (let userId = 1; userId <= USERS; userId += 1) reports.push(await reportFor(userId));
    let cached = 0;
    while (cached < USERS && (await reportFor(USERS - cached)) === reports[USERS - cached - 1])
      cached += 1;

    const characters = JSON.stringify(reports[0]).length;
    expect(cached).toBeGreaterThan(0);
    expect(cached).toBeLessThan(USERS);
    expect(cached * characters).toBeLessThan(2 * MAX_CACHED);
  });
});
