import { describe, expect, test } from 'vitest';
import {
  type CopyOptions,
  copyStrategy,
  strategyEventData,
} from '../../src/domain/features/copy-strategy.js';
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

const options: CopyOptions = {
  newName: 'copy',
  replaceGroupId: true,
  defaultStickiness: 'userId',
  major: 6,
};

const parametersOf = (name: string, parameters: unknown, difference: Partial<CopyOptions> = {}) =>
  copyStrategy(source({ name, parameters }), { ...options, ...difference }).parameters;

describe('a copied strategy', () => {
  test('equals the source without its ID, with constraints in order and variants rebalanced', () => {
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

  test('is enabled when the source does not specify it', () => {
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

  test('leaves the source unchanged', () => {
    const original = source({ parameters: { groupId: 'old', stickiness: '' } });
    const before = structuredClone(original);
    copyStrategy(original, options);
    expect(original).toEqual(before);
  });
});

describe('the group ID', () => {
  test.each(['flexibleRollout', 'gradualRolloutUserId', 'my-own'])(
    'of a %s strategy becomes the new name',
    (name) => {
      expect(parametersOf(name, { groupId: 'old' })['groupId']).toBe('copy');
    },
  );

  test.each(['', null, 5, { a: 1 }])('is replaced whatever its value: %j', (groupId) => {
    expect(parametersOf('my-own', { groupId })).toEqual({ groupId: 'copy' });
  });

  test.each(['old', '', null])('%j is kept when it should not be replaced', (groupId) => {
    const parameters = parametersOf('flexibleRollout', { groupId }, { replaceGroupId: false });
    expect(parameters['groupId']).toBe(groupId);
  });

  test('is not added to other strategy types', () => {
    expect(parametersOf('my-own', { other: 'x' })).toEqual({ other: 'x' });
  });
});

describe('a flexibleRollout strategy', () => {
  test.each([true, false])('gets its missing parameters (replaceGroupId %j)', (replaceGroupId) => {
    expect(parametersOf('flexibleRollout', {}, { replaceGroupId })).toEqual({
      rollout: '100',
      stickiness: 'userId',
      groupId: 'copy',
    });
  });

  test('keeps its existing parameters, including null', () => {
    const parameters = { rollout: null, stickiness: 'random', extra: 1 };
    expect(parametersOf('flexibleRollout', parameters)).toEqual({ ...parameters, groupId: 'copy' });
  });

  test('gets the default stickiness when the project has none', () => {
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

describe.each([7, 8] as const)('in version %i', (major) => {
  const newer = (name: string, parameters: unknown, difference: Partial<CopyOptions> = {}) =>
    parametersOf(name, parameters, { major, replaceGroupId: false, ...difference });

  test('null parameters of a flexibleRollout strategy count as absent', () => {
    const parameters = { rollout: null, stickiness: null, groupId: null, extra: 1 };
    expect(newer('flexibleRollout', parameters)).toEqual({
      rollout: '100',
      stickiness: 'userId',
      groupId: 'copy',
      extra: 1,
    });
  });

  test("an empty stickiness becomes the project's default", () => {
    expect(newer('flexibleRollout', { stickiness: '' })['stickiness']).toBe('userId');
    const withoutDefault = newer('flexibleRollout', { stickiness: '' }, { defaultStickiness: '' });
    expect(withoutDefault['stickiness']).toBe('default');
  });

  test('an empty group ID becomes the new name from 8.x on', () => {
    expect(newer('flexibleRollout', { groupId: '' })['groupId']).toBe(major === 8 ? 'copy' : '');
  });

  test('parameters of other strategies are unchanged', () => {
    const parameters = { stickiness: '', groupId: null, rollout: null };
    expect(newer('my-own', parameters)).toEqual(parameters);
  });
});

describe('unusual parameters', () => {
  const json = '{"__proto__":{"polluted":true},"constructor":"c","toString":"t"}';

  test.each(['flexibleRollout', 'my-own'])('are copied as ordinary keys (%s)', (name) => {
    const copied = parametersOf(name, JSON.parse(json));
    expect(JSON.parse(JSON.stringify(copied))).toMatchObject({ constructor: 'c', toString: 't' });
    expect(JSON.stringify(copied)).toContain('"__proto__":{"polluted":true}');
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype);
    expect(copied['polluted']).toBeUndefined();
  });

  test('stay ordinary keys in the event', () => {
    const { parameters } = strategyEventData({ ...row, parameters: JSON.parse(json) });
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

describe('event data of a strategy', () => {
  test('has a fixed key order', () => {
    expect(JSON.stringify(strategyEventData(row))).toBe(
      '{"id":"new-id","name":"flexibleRollout","title":null,"disabled":false,' +
        '"constraints":[{"contextName":"userId"}],"parameters":{"rollout":"100"},' +
        '"variants":[{"name":"a"}],"sortOrder":7,"segments":[3,1]}',
    );
  });

  test('contains only these keys of the row', () => {
    const wide = { ...row, featureName: 'copy', milestoneId: null };
    expect(Object.keys(strategyEventData(wide))).toHaveLength(9);
  });

  test('formats parameters as text', () => {
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
