import { beforeAll, expect, test } from 'vitest';
import { describeWithDemo } from '../../testkit/app.js';

/** Up to 2,000 events of a feature are counted with their page; of more, the total is cached. */
describeWithDemo('the events of a feature', ({ gateway, database }) => {
  const COUNTS = { 'events-1999': 1_999, 'events-2000': 2_000, 'events-2001': 2_001 };
  beforeAll(async () => {
    for (const [name, count] of Object.entries(COUNTS)) {
      await database().client.$executeRaw`
        insert into events (type, created_by, project, feature_name)
        select case when n % 2 = 0 then 'feature-updated' else 'feature-created' end, 'hand', 'web-shop', ${name}
        from generate_series(1, ${count}::int) n`;
    }
  });

  test.each(Object.entries(COUNTS))('have an exact total: %s', async (name, count) => {
    const search = async (query: string) => {
      const { body } = await gateway().rest(`/api/admin/search/events?feature=IS:${name}${query}`);
      return [body.total, body.events.length];
    };
    for (let round = 0; round < 2; round += 1) {
      expect(await search('&limit=10')).toEqual([count, 10]);
      expect(await search(`&limit=10&offset=${count - 3}`)).toEqual([count, 3]);
      expect(await search('&limit=1&type=IS:feature-updated')).toEqual([Math.floor(count / 2), 1]);
      const { data } = await gateway().graphql(
        `{ events(first: 1, filter: { featureName: { is: "${name}" } }) { totalCount } }`,
      );
      expect(data.events.totalCount).toBe(count);
    }
  });
});
