import { describe, expect, test } from 'vitest';
import { copyStrategy, strategyEventData } from '../../src/domain/features/copy-strategy.js';
import type { SourceStrategy } from '../../src/domain/features/strategy-rules.js';

const source = (difference: Partial<SourceStrategy> = {}): SourceStrategy => ({
  id: 'old-id',
  name: 'userWithId',
  title: 'Friends',
  disabled: true,
  environmentName: 'production',
  parameters: { userIds: '1,2' },
  constraints: [{ contextName: 'userId', operator: 'NUM_EQ', value: '5', inverted: 'true' }],
  variants: [
    { name: 'b', weight: 1, weightType: 'variable' },
    { name: 'a', weight: 1, weightType: 'variable' },
  ],
  sortOrder: 7,
  segments: [{ id: 3, name: 'friends', projectId: null }],
  ...difference,
});

const options = { newName: 'copy', replaceGroupId: true, defaultStickiness: 'userId' };

const parametersOf = (
  name: string,
  parameters: unknown,
  difference: Partial<typeof options> = {},
) => copyStrategy(source({ name, parameters }), { ...options, ...difference }).parameters;

describe('a copied strategy', () => {
  test('is the source without its id, constraints in order and variants rebalanced', () => {
    expect(copyStrategy(source(), options)).toEqual({
      name: 'userWithId',
      title: 'Friends',
      disabled: true,
      environmentName: 'production',
      parameters: { userIds: '1,2' },
      constraints: [
        { contextName: 'userId', operator: 'NUM_EQ', value: '5', inverted: true, values: [] },
      ],
      variants: [
        { name: 'a', weight: 500, weightType: 'variable' },
        { name: 'b', weight: 500, weightType: 'variable' },
      ],
      sortOrder: 7,
      segments: [3],
    });
  });

  test.each([null, ''])('keeps the title %j', (title) => {
    expect(copyStrategy(source({ title }), options).title).toBe(title);
  });

  test('is not disabled when the source does not say', () => {
    expect(copyStrategy(source({ disabled: null }), options).disabled).toBe(false);
    expect(copyStrategy(source({ disabled: false }), options).disabled).toBe(false);
  });

  test('has empty lists and parameters where the source has null', () => {
    const bare = source({ parameters: null, constraints: null, variants: null, segments: [] });
    expect(copyStrategy(bare, options)).toMatchObject({
      parameters: {},
      constraints: [],
      variants: [],
      segments: [],
    });
  });

  test('leaves the source untouched', () => {
    const original = source({ parameters: { groupId: 'old', stickiness: '' } });
    const before = structuredClone(original);
    copyStrategy(original, options);
    expect(original).toEqual(before);
  });
});

describe('the group id', () => {
  test.each(['flexibleRollout', 'gradualRolloutUserId', 'my-own'])(
    'of a %s strategy becomes the new name',
    (name) => {
      expect(parametersOf(name, { groupId: 'old' })['groupId']).toBe('copy');
    },
  );

  test.each(['', null, 5, { a: 1 }])('is replaced whatever it is: %j', (groupId) => {
    expect(parametersOf('my-own', { groupId })).toEqual({ groupId: 'copy' });
  });

  test.each(['old', '', null])('%j stays when it shall not be replaced', (groupId) => {
    const kept = parametersOf('flexibleRollout', { groupId }, { replaceGroupId: false });
    expect(kept['groupId']).toBe(groupId);
  });

  test('is not invented for other types of strategy', () => {
    expect(parametersOf('my-own', { other: 'x' })).toEqual({ other: 'x' });
  });
});

describe('a flexibleRollout strategy', () => {
  test.each([true, false])('gets the parameters it lacks (replaceGroupId %j)', (replaceGroupId) => {
    expect(parametersOf('flexibleRollout', {}, { replaceGroupId })).toEqual({
      rollout: '100',
      stickiness: 'userId',
      groupId: 'copy',
    });
  });

  test('keeps the parameters it has, null included', () => {
    const given = { rollout: null, stickiness: 'random', extra: 1 };
    expect(parametersOf('flexibleRollout', given)).toEqual({ ...given, groupId: 'copy' });
  });

  test('sticks to the default where the project has none', () => {
    const filled = parametersOf('flexibleRollout', {}, { defaultStickiness: '' });
    expect(filled['stickiness']).toBe('default');
  });
});

describe('stickiness', () => {
  test.each(['flexibleRollout', 'my-own'])("that is empty becomes 'default' (%s)", (name) => {
    expect(parametersOf(name, { stickiness: '' })['stickiness']).toBe('default');
  });

  test('that is null stays null', () => {
    expect(parametersOf('flexibleRollout', { stickiness: null })['stickiness']).toBeNull();
  });
});

describe('odd parameters', () => {
  const odd = '{"__proto__":{"polluted":true},"constructor":"c","toString":"t"}';

  test.each(['flexibleRollout', 'my-own'])('are copied as ordinary keys (%s)', (name) => {
    const copied = parametersOf(name, JSON.parse(odd));
    expect(JSON.parse(JSON.stringify(copied))).toMatchObject({ constructor: 'c', toString: 't' });
    expect(JSON.stringify(copied)).toContain('"__proto__":{"polluted":true}');
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype);
    expect(copied['polluted']).toBeUndefined();
  });

  test('stay ordinary keys in the event', () => {
    const { parameters } = strategyEventData({ ...row, parameters: JSON.parse(odd) });
    expect(JSON.stringify(parameters)).toBe(
      '{"__proto__":"{\\"polluted\\":true}","constructor":"c","toString":"t"}',
    );
  });
});

const row = {
  id: 'new-id',
  name: 'flexibleRollout',
  title: null,
  disabled: false,
  constraints: [{ contextName: 'userId' }],
  parameters: { rollout: '100' },
  variants: [{ name: 'a' }],
  sortOrder: 7,
  segments: [3, 1],
};

describe('the data of the event', () => {
  test('tells the strategy in a fixed order of keys', () => {
    expect(JSON.stringify(strategyEventData(row))).toBe(
      '{"id":"new-id","name":"flexibleRollout","title":null,"disabled":false,' +
        '"constraints":[{"contextName":"userId"}],"parameters":{"rollout":"100"},' +
        '"variants":[{"name":"a"}],"sortOrder":7,"segments":[3,1]}',
    );
  });

  test('holds nothing of the row but these keys', () => {
    const wide = { ...row, featureName: 'copy', milestoneId: null };
    expect(Object.keys(strategyEventData(wide))).toHaveLength(9);
  });

  test('prints parameters as text', () => {
    const parameters = { none: null, many: [1, 'a'], one: { a: 1 }, yes: true, five: 5, text: 't' };
    expect(strategyEventData({ ...row, parameters }).parameters).toEqual({
      none: '',
      many: '[1,"a"]',
      one: '{"a":1}',
      yes: 'true',
      five: '5',
      text: 't',
    });
  });

  test('has empty lists and parameters for null', () => {
    const bare = { ...row, constraints: null, parameters: null, variants: null };
    expect(strategyEventData(bare)).toMatchObject({
      constraints: [],
      parameters: {},
      variants: [],
    });
  });
});
