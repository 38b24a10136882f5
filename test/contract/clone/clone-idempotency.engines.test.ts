import { beforeAll, expect, test } from 'vitest';
import type { Gateway } from '../../testkit/app.js';
import { type CloneCall, cloneOverRest, mutateClone } from '../../testkit/clone-calls.js';
import { refusalsOf, requestClone } from '../../testkit/clone-plans.js';
import { changesOf, NO_CHANGE } from '../../testkit/clone-tables.js';
import {
  addFeature,
  addFullSource,
  CLONE_TOKENS,
  describeWithCloneWorld,
} from '../../testkit/clone-world.js';

const withKey = (call: CloneCall, key: string): CloneCall => ({
  ...call,
  headers: { 'idempotency-key': key },
});

describeWithCloneWorld('a clone with an idempotency key', (world) => {
  const { gateway, db, startAnother, kind } = world;
  let other: Gateway;
  beforeAll(async () => {
    await addFullSource(db(), 'origin');
    await addFeature(db(), { name: 'bare-origin', project: 'bare' });
    other = await startAnother({});
  });

  const cloneTwice = async (call: CloneCall, again = call) => {
    const first = await cloneOverRest(gateway(), call);
    expect(first.status).toBe(200);
    return { first, second: await cloneOverRest(other, again) };
  };

  test.each([
    ['with strategies', { source: 'origin', name: 'twice-full' }],
    [
      'without strategies and environments',
      { source: 'bare-origin', name: 'twice-bare', project: 'bare' },
    ],
    ['by a user', { source: 'origin', name: 'twice-by-ben', token: CLONE_TOKENS.ben }],
  ])('%s returns the same copy again, also from another instance', async (_title, call) => {
    const keyed = withKey(call, `"key of ${call.name}"`);
    const first = await cloneOverRest(gateway(), keyed);
    expect(first.status).toBe(200);
    expect(
      await changesOf(db(), async () => {
        const second = await cloneOverRest(other, keyed);
        expect([second.status, second.body]).toEqual([200, first.body]);
      }),
    ).toEqual(NO_CHANGE);
  });

  test('accepts a quoted or unquoted key, or one in the GraphQL input', async () => {
    const call = { source: 'origin', name: 'spelled' };
    const { first, second } = await cloneTwice(withKey(call, '"k-1"'), withKey(call, 'k-1'));
    expect([second.status, second.body]).toEqual([200, first.body]);
    const input = { featureName: 'origin', newName: 'spelled', targetProjectId: 'shop' };
    const { data } = await mutateClone(gateway(), { ...input, idempotencyKey: 'k-1' });
    expect(data.cloneFeature.feature).toEqual({ name: 'spelled', projectId: 'shop' });
  });

  test('writes the same rows as any clone, and an ID into the first event', async () => {
    await cloneOverRest(gateway(), withKey({ source: 'origin', name: 'marked' }, 'k-marked'));
    await cloneOverRest(gateway(), { source: 'origin', name: 'unmarked' });
    const dataOf = async (featureName: string) => {
      const [event] = await db().event.findMany({
        where: { featureName, type: 'feature-created' },
      });
      return event?.data as Record<string, unknown>;
    };
    const { idempotencyId, ...marked } = await dataOf('marked');
    expect(idempotencyId).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(Object.keys(marked)).toEqual(Object.keys(await dataOf('unmarked')));
  });

  test('is rejected when the key was used for another request', async () => {
    const call = { source: 'origin', name: 'first-use' };
    await cloneOverRest(gateway(), withKey(call, 'k-reused'));
    for (const change of [
      { name: 'second-use' },
      { project: 'plaza' },
      { replaceGroupId: false },
    ]) {
      const { status, body } = await cloneOverRest(
        other,
        withKey({ ...call, ...change }, 'k-reused'),
      );
      expect([status, body.name]).toEqual([422, 'IdempotencyKeyError']);
    }
    const input = { featureName: 'origin', newName: 'second-use', idempotencyKey: 'k-reused' };
    const { data } = await mutateClone(gateway(), input);
    expect(data.cloneFeature).toMatchObject({
      __typename: 'IdempotencyKeyError',
      name: 'IdempotencyKeyError',
    });
    expect(await db().feature.count({ where: { name: 'second-use' } })).toBe(0);
  });

  test('is planned as the retry that it is', async () => {
    const call = { source: 'origin', name: 'planned-retry', idempotencyKey: 'k-planned' };
    expect(await refusalsOf(gateway(), call)).toEqual([]);
    await requestClone(gateway(), call);
    expect(await refusalsOf(gateway(), call)).toEqual([]);
    expect(await refusalsOf(gateway(), { ...call, name: 'planned-other' })).toEqual([
      'IdempotencyKeyError',
    ]);
    const { idempotencyKey: _, ...without } = call;
    expect(await refusalsOf(gateway(), without)).toEqual(['NameExistsError']);
  });

  test('does not return the copy of another caller with the same key', async () => {
    const call = withKey({ source: 'origin', name: 'of-the-admin' }, 'k-shared');
    await cloneOverRest(gateway(), call);
    for (const token of [CLONE_TOKENS.ann, CLONE_TOKENS.ben]) {
      const { status, body } = await cloneOverRest(gateway(), { ...call, token });
      expect([status, body.name]).toEqual([409, 'NameExistsError']);
    }
  });

  test('returns the copy even if the projects have changed since', async () => {
    const call = withKey({ source: 'origin', name: 'before-the-limit' }, 'k-limit');
    await cloneOverRest(gateway(), call);
    await db().projectSettings.update({ where: { projectId: 'shop' }, data: { featureLimit: 1 } });
    const { status } = await cloneOverRest(gateway(), call);
    await db().projectSettings.update({
      where: { projectId: 'shop' },
      data: { featureLimit: null },
    });
    expect(status).toBe(200);
  });

  test('returns the current state of the copy when it was changed or archived', async () => {
    const call = withKey({ source: 'origin', name: 'archived-since' }, 'k-archived');
    await cloneOverRest(gateway(), call);
    const data = { archivedAt: new Date(), description: 'changed' };
    await db().feature.update({ where: { name: 'archived-since' }, data });
    const { status, body } = await cloneOverRest(gateway(), call);
    expect([status, body.archived, body.description]).toEqual([200, true, 'changed']);
  });

  test('is rejected when the copy was deleted, even if its name is in use again', async () => {
    const call = withKey({ source: 'origin', name: 'deleted-since' }, 'k-deleted');
    await cloneOverRest(gateway(), call);
    await db().$executeRaw`delete from features where name = 'deleted-since'`;
    expect((await cloneOverRest(gateway(), call)).body.name).toBe('IdempotencyKeyError');
    await addFeature(db(), { name: 'deleted-since' });
    expect((await cloneOverRest(gateway(), call)).body.name).toBe('IdempotencyKeyError');
  });

  test('forgets the key after a day', async () => {
    const call = withKey({ source: 'origin', name: 'yesterday' }, 'k-yesterday');
    await cloneOverRest(gateway(), call);
    await db().$executeRaw`update events set created_at = created_at - interval '25 hours'
      where feature_name = 'yesterday'`;
    expect((await cloneOverRest(gateway(), call)).status).toBe(409);
  });

  test.each(['', '""', '"', 'a, b', '"a", "b"', `"${'k'.repeat(256)}"`, 'k'.repeat(256), '"ü"'])(
    'rejects the header %j',
    async (key) => {
      const call = withKey(
        { source: 'origin', name: 'never' },
        Buffer.from(key).toString('latin1'),
      );
      const { status, body } = await cloneOverRest(gateway(), call);
      expect([status, body.name, body.details[0].path]).toEqual([
        400,
        'BadDataError',
        '/headers/idempotency-key',
      ]);
    },
  );

  test.each(['', 'ü', 'k'.repeat(256)])('rejects the input %j', async (idempotencyKey) => {
    const call = { source: 'origin', name: 'never', idempotencyKey };
    expect(await refusalsOf(gateway(), call)).toEqual(['IdempotencyKeyError']);
    const { data } = await requestClone(gateway(), call);
    expect(data.cloneFeature.__typename).toBe('IdempotencyKeyError');
    expect(await db().feature.count({ where: { name: 'never' } })).toBe(0);
  });

  const CALLERS = kind === 'postgres' ? 12 : 4;
  const cloneConcurrently = (callOf: (index: number) => CloneCall) =>
    Promise.all(
      Array.from({ length: CALLERS }, async (_, index) => {
        const { status } = await cloneOverRest(index % 2 ? gateway() : other, callOf(index));
        return status;
      }),
    );

  test('creates one copy when it is sent several times concurrently', async () => {
    const call = withKey({ source: 'origin', name: 'raced' }, 'k-raced');
    expect(await cloneConcurrently(() => call)).toEqual(Array(CALLERS).fill(200));
    expect(
      await db().event.count({ where: { featureName: 'raced', type: 'feature-created' } }),
    ).toBe(1);
  });

  test('creates one copy when one key is sent with several names concurrently', async () => {
    const statuses = await cloneConcurrently((index) =>
      withKey({ source: 'origin', name: `one-of-${index}` }, 'k-misused'),
    );
    expect(statuses.sort()).toEqual([200, ...Array(CALLERS - 1).fill(422)]);
  });
});
