import { beforeAll, expect, test } from 'vitest';
import { type CloneCall, outcomeOverGraphql, outcomeOverRest } from '../../testkit/clone-calls.js';
import { CLONE_WRITES, changesOf, NO_CHANGE } from '../../testkit/clone-tables.js';
import { addFullSource, describeWithCloneWorld } from '../../testkit/clone-world.js';

describeWithCloneWorld('a clone that fails', ({ gateway, db }) => {
  beforeAll(async () => {
    await addFullSource(db(), 'origin');
    await db().$executeRaw`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'the lights went out'; end $$`;
  });

  const failsWith = async (trigger: string, table: string, name: string) => {
    await db().$executeRawUnsafe(trigger);
    const call: CloneCall = { source: 'origin', name };
    const changes = await changesOf(db(), async () => {
      const rest = await outcomeOverRest(gateway(), call);
      const graphql = await outcomeOverGraphql(gateway(), call);
      expect([rest.kind, graphql.kind]).toEqual(['500 UnknownError', 'INTERNAL_SERVER_ERROR']);
      for (const { message } of [rest, graphql]) expect(message).not.toContain('lights');
    });
    expect(changes).toEqual(NO_CHANGE);

    await db().$executeRawUnsafe(`drop trigger failing on ${table}`);
    expect(await outcomeOverRest(gateway(), call)).toMatchObject({ kind: 'cloned' });
  };

  test.each(CLONE_WRITES)('after writing %s leaves no rows and can be retried', async (table) => {
    const trigger = `create trigger failing after insert or update on ${table} for each statement execute function refuse()`;
    await failsWith(trigger, table, `failed-after-${table}`);
  });

  test('at the commit leaves no rows and can be retried', async () => {
    const trigger =
      'create constraint trigger failing after insert on events deferrable initially deferred for each row execute function refuse()';
    await failsWith(trigger, 'events', 'failed-at-commit');
  });
});
