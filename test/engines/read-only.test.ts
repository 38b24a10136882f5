import { afterAll, beforeAll, expect, test } from 'vitest';
import { outcomeOverGraphql, outcomeOverRest } from '../testkit/clone-calls.js';
import { planOf } from '../testkit/clone-plans.js';
import { changesOf, NO_CHANGE } from '../testkit/clone-tables.js';
import { addFullSource, CLONE_TOKENS, describeWithCloneWorld } from '../testkit/clone-world.js';

// A setting of the session, which the embedded database shares between all requests.
describeWithCloneWorld('a read-only database', ({ gateway, db }) => {
  beforeAll(async () => {
    await addFullSource(db(), 'origin');
    await db().$executeRaw`set default_transaction_read_only = on`;
  });
  afterAll(() => db().$executeRaw`set default_transaction_read_only = off`);

  test('rejects clones', async () => {
    const changes = await changesOf(db(), async () => {
      const call = { source: 'origin', name: 'x' };
      expect((await outcomeOverRest(gateway(), call)).kind).toBe('403 NoAccessError');
      expect((await outcomeOverGraphql(gateway(), call)).kind).toBe('NoAccessError');
    });
    expect(changes).toEqual(NO_CHANGE);
  });

  test('returns plans of clones, with the reasons against them', async () => {
    const plan = await planOf(gateway(), { source: 'origin', name: 'x' });
    const clone = await outcomeOverGraphql(gateway(), { source: 'origin', name: 'x' });
    expect(plan.copy.name).toBe('x');
    expect(plan.refusals).toMatchObject([
      { __typename: 'NoAccessError', permissions: [], message: clone.message },
    ]);
    const viewer = { source: 'origin', name: 'x', token: CLONE_TOKENS.vic };
    const { refusals } = await planOf(gateway(), viewer);
    expect(refusals).toMatchObject([{ permissions: ['CREATE_FEATURE'] }]);
  });
});
