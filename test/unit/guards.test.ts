import { expect, test } from 'vitest';
import { BadDataError, ForbiddenError } from '../../src/domain/errors.js';
import { collectRefusals, type Guard, MOST_REFUSALS, passAll } from '../../src/domain/guards.js';

const refuse =
  (message: string): Guard =>
  () => {
    throw new BadDataError(message);
  };
const messagesOf = async (...guards: Guard[]) =>
  (await collectRefusals(guards)).map(({ message }) => message);

test('who must pass stops at the first refusal and asks nobody behind it', async () => {
  const asked: string[] = [];
  const ask = (name: string) => () => {
    asked.push(name);
  };
  const guards = [ask('a'), async () => ask('b')(), refuse('no'), ask('c')];
  await expect(passAll(guards)).rejects.toThrow('no');
  expect(asked).toEqual(['a', 'b']);
});

test('all refusals are collected in their order, those that come later and those that wait included', async () => {
  const late = async () => refuse('late')();
  expect(await messagesOf(refuse('first'), () => undefined, late, refuse('last'))).toEqual([
    'first',
    'late',
    'last',
  ]);
});

test('the same refusal is told once, another kind of it again', async () => {
  const forbid = () => {
    throw new ForbiddenError('no');
  };
  const refusals = await collectRefusals([refuse('no'), refuse('no'), forbid]);
  expect(refusals.map(({ name }) => name)).toEqual(['BadDataError', 'ForbiddenError']);
});

test('no more are collected than anybody reads', async () => {
  let asked = 0;
  const guards = Array.from({ length: MOST_REFUSALS * 2 }, (_, index) => () => {
    asked += 1;
    refuse(`no ${index}`)();
  });
  expect(await messagesOf(...guards)).toHaveLength(MOST_REFUSALS);
  expect(asked).toBe(MOST_REFUSALS);
});

test('what is no refusal is not taken for one', async () => {
  const fail = () => {
    throw new TypeError('a bug');
  };
  await expect(collectRefusals([refuse('no'), fail])).rejects.toThrow('a bug');
});
