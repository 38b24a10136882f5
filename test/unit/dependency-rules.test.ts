import { expect, test } from 'vitest';
import { InvalidOperationError, NotFoundError } from '../../src/domain/errors.js';
import { assertDependency } from '../../src/domain/features/dependency-rules.js';

const dependency = {
  parentName: 'base',
  parent: { projectId: 'web', archived: false },
  parentHasParents: false,
  targetProject: 'web',
  major: 7 as const,
};

test('a copy may depend on an active parent in its own project', () => {
  expect(() => assertDependency(dependency)).not.toThrow();
});

test.each([
  ['is in another project', { parent: { projectId: 'app', archived: false } }, "'app'"],
  ['is in no project', { parent: { projectId: null, archived: false } }, "'web'"],
  ['is archived', { parent: { projectId: 'web', archived: true } }, 'is archived'],
  ['does not exist', { parent: null }, 'does not exist'],
  ['has a parent itself', { parentHasParents: true }, 'limited to one level'],
])('a copy may not depend on a parent that %s', (_case, difference, message) => {
  const check = () => assertDependency({ ...dependency, ...difference });
  expect(check).toThrow(InvalidOperationError);
  expect(check).toThrow(message);
  expect(check).toThrow("'base'");
});

test('reports a grandparent before an archived parent, and that before another project', () => {
  const worst = {
    ...dependency,
    parent: { projectId: 'app', archived: true },
    parentHasParents: true,
  };
  expect(() => assertDependency(worst)).toThrow('limited to one level');
  expect(() => assertDependency({ ...worst, parentHasParents: false })).toThrow('is archived');
});

test('from 8.x on, a parent in another project is reported as not found, without its project', () => {
  const otherProject = {
    ...dependency,
    parent: { projectId: 'app', archived: false },
    major: 8 as const,
  };
  const check = () => assertDependency(otherProject);
  expect(check).toThrow(NotFoundError);
  expect(check).toThrow("'base'");
  expect(check).not.toThrow("'app'");
});
