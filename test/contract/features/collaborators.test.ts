import { expect, test } from 'vitest';
import { listCollaborators } from '../../../src/domain/events/collaborators.js';
import { createEventLogCache } from '../../../src/domain/events/event-log-cache.js';
import { adminActor } from '../../testkit/actors.js';
import { describeWithDatabase } from '../../testkit/database.js';
import { seed } from '../../testkit/seed.js';

const NAMES = Array.from({ length: 120 }, (_, index) => `feature-${index}`);

describeWithDatabase('collaborators of many features', (open) => {
  const start = async () => {
    const statements: string[] = [];
    const { client } = await open({ onQuery: (sql) => statements.push(sql) });
    await seed(client, {
      events: [
        { type: 'application-created', createdByUserId: null },
        ...NAMES.map((feature) => ({ type: 'feature-created', feature, createdByUserId: 1 })),
        { type: 'feature-updated', feature: 'feature-7', createdByUserId: null },
        { type: 'feature-updated', feature: 'feature-7', createdByUserId: 2 },
      ],
    });
    const cache = createEventLogCache(client);
    const of = async (name: string) => {
      const found = await listCollaborators(client, cache, adminActor, NAMES);
      return found.filter(({ featureName }) => featureName === name).map(({ userId }) => userId);
    };
    return { client, statements, of };
  };

  test('are cached although some events have no author', async () => {
    const { statements, of } = await start();
    expect(await of('feature-7')).toEqual([2, 1]);
    statements.length = 0;
    expect(await of('feature-8')).toEqual([1]);
    expect(statements).toHaveLength(1);
  });

  test('include authors that are added to old events', async () => {
    const { client, of } = await start();
    expect(await of('feature-7')).toEqual([2, 1]);
    await client.$executeRaw`update events set created_by_user_id = 3 where created_by_user_id is null`;
    expect(await of('feature-7')).toEqual([2, 3, 1]);
    await seed(client, {
      events: [{ type: 'feature-updated', feature: 'feature-7', createdByUserId: 1 }],
    });
    expect(await of('feature-7')).toEqual([1, 2, 3]);
  });
});
