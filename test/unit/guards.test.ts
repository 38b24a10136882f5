import { expect, test } from 'vitest';
import { BadDataError, ForbiddenError } from '../../src/domain/errors.js';
import { collectRefusals, type Guard, MAX_REFUSALS, runGuards } from '../../src/domain/guards.js';

const failWith =
  (message: string): Guard =>
  () => {
    throw new BadDataError(message);
  };
const messagesOf = async (...guards: Guard[]) =>
  (await collectRefusals(guards)).map(({ message }) => message);

test('passAll stops at the first error and runs no later guard', async () => {
  const calls: string[] = [];
  const record = (name: string) => () => {
    calls.push(name);
  };
  const guards = [record('a'), async () => record('b')(), failWith('no'), record('c')];
  await expect(runGuards(guards)).rejects.toThrow('no');
  expect(calls).toEqual(['a', 'b']);
});

test('collects all errors in order, including asynchronous ones', async () => {
  const late = async () => failWith('late')();
  expect(await messagesOf(failWith('first'), () => undefined, late, failWith('last'))).toEqual([
    'first',
    'late',
    'last',
  ]);
});

test('reports the same error once, and another kind of it separately', async () => {
  const forbid = () => {
    throw new ForbiddenError('no');
  };
  const refusals = await collectRefusals([failWith('no'), failWith('no'), forbid]);
  expect(refusals.map(({ name }) => name)).toEqual(['BadDataError', 'ForbiddenError']);
});

test('collects errors up to the limit', async () => {
  let calls = 0;
  const guards = Array.from({ length: MAX_REFUSALS * 2 }, (_, index) => () => {
    calls += 1;
    failWith(`no ${index}`)();
  });
  expect(await messagesOf(...guards)).toHaveLength(MAX_REFUSALS);
  expect(calls).toBe(MAX_REFUSALS);
});

test('rethrows unexpected errors', async () => {
  const fail = () => {
    throw new TypeError('a bug');
  };
  await expect(collectRefusals([failWith('no'), fail])).rejects.toThrow('a bug');
});
