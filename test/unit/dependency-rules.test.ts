import { expect, test } from 'vitest';
import { InvalidOperationError } from '../../src/domain/errors.js';
import { assertDependency } from '../../src/domain/features/dependency-rules.js';

const facts = {
  parentName: 'base',
  parent: { projectId: 'web', archived: false },
  parentHasParents: false,
  targetProject: 'web',
};

test('a copy may depend on an active parent in its own project', () => {
  expect(() => assertDependency(facts)).not.toThrow();
});

test.each([
  ['is in another project', { parent: { projectId: 'app', archived: false } }, "'app'"],
  ['is in no project', { parent: { projectId: null, archived: false } }, "'web'"],
  ['is archived', { parent: { projectId: 'web', archived: true } }, 'is archived'],
  ['is gone', { parent: null }, 'does not exist'],
  ['has a parent itself', { parentHasParents: true }, 'one level deep'],
])('a copy may not depend on a parent that %s', (_case, difference, fact) => {
  const judge = () => assertDependency({ ...facts, ...difference });
  expect(judge).toThrow(InvalidOperationError);
  expect(judge).toThrow(fact);
  expect(judge).toThrow("'base'");
});

test('a grandparent is told before an archived parent, and that before a foreign project', () => {
  const worst = { ...facts, parent: { projectId: 'app', archived: true }, parentHasParents: true };
  expect(() => assertDependency(worst)).toThrow('one level deep');
  expect(() => assertDependency({ ...worst, parentHasParents: false })).toThrow('is archived');
});
