import { expect, test } from 'vitest';
import { describeDemoOnBothDatabases } from '../testkit/app.js';

describeDemoOnBothDatabases('event search', ({ gateway, statementsOf }) => {
  test('newest events come first, with the exact total', async () => {
    const { status, body } = await gateway().rest('/api/admin/search/events?limit=3');
    expect(status).toBe(200);
    const ids = body.events.map((event: { id: number }) => event.id);
    expect(ids).toEqual([body.total, body.total - 1, body.total - 2]);
  });

  test('a page without a total is never counted', async () => {
    const statements = await statementsOf(() => gateway().graphql('{ events { nodes { id } } }'));
    expect(statements.filter((sql) => sql.includes('count('))).toEqual([]);
    expect(statements.filter((sql) => sql.includes('from events'))).toHaveLength(1);
  });

  test('statements do not grow with the number of rows below nested lists', async () => {
    const query = (first: number) => `{
      projects(first: ${first}) { nodes { id members favorite mode health { staleCount }
        features(first: ${first}) { totalCount nodes { name favorite tags { value } children { name }
          a: environments { enabled environment { name } strategies { name segments { name } } }
          b: environments { lastSeenAt hasStrategies }
          events(first: ${first}) { totalCount nodes { id project { name } feature { name } } }
          createdBy { name } collaborators { name } lifecycle { stage } dependencies { feature { name } } } }
        events(first: ${first}) { nodes { ...facts } } } } }
      fragment facts on Event { id feature { name project { name } } }`;
    const few = await statementsOf(() => gateway().graphql(query(2)));
    const many = await statementsOf(async () => {
      const { errors } = await gateway().graphql(query(6));
      expect(errors).toBeUndefined();
    });
    console.log(many.map(s=>s.slice(0,110)).join('\n'));
    expect(many.length).toBeLessThanOrEqual(few.length);
  });
});
