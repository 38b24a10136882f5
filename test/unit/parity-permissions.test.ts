import { describe, expect, test } from 'vitest';
import { compareDecisions } from '../../parity/src/permissions/compare-decisions.js';
import type { Case, Exception } from '../../parity/src/permissions/exceptions.js';
import { makeWorld } from '../../parity/src/permissions/make-world.js';
import type { Decision } from '../../parity/src/permissions/send.js';
import { visibleTo } from '../../parity/src/permissions/visibility.js';
import { ROOT_ROLES, type User } from '../../parity/src/permissions/world.js';

const WORLD = makeWorld(1, 0, true);
const PRIVATE = 'w0-private';

const viewer = (difference: Partial<User> = {}): User => ({
  id: 1,
  isService: false,
  isDeleted: false,
  roles: [{ role: ROOT_ROLES.viewer, project: 'default' }],
  groups: [],
  ...difference,
});

const decided = (outcome: Decision['outcome'], more: Partial<Decision> = {}): Decision => ({
  outcome,
  text: '',
  ...more,
});

const caseOf = (difference: Partial<Case> = {}): Case => ({
  major: 8,
  world: WORLD,
  caller: { name: 'a caller', credential: { kind: 'none' }, user: viewer() },
  operation: { kind: 'health report', project: 'default' },
  visible: 'all',
  older: new Map(),
  unleash: decided('allowed'),
  enterprise: decided('allowed'),
  ...difference,
});

test('the same seed generates the same world', () => {
  expect(makeWorld(1, 0, true)).toEqual(WORLD);
  expect(makeWorld(2, 0, true)).not.toEqual(WORLD);
});

describe('a permission decision', () => {
  test('that is equal needs no exception', () => {
    const result = compareDecisions(caseOf(), 'unleash', decided('allowed'), decided('allowed'));
    expect(result).toEqual({ met: [] });
  });

  test('that is laxer is reported with caller, grants, operation and both responses', () => {
    const { mismatch } = compareDecisions(
      caseOf(),
      'unleash',
      decided('forbidden'),
      decided('allowed'),
    );
    for (const text of ['a caller', 'Viewer (root) in default', 'health-report', 'forbidden']) {
      expect(mismatch?.text).toContain(text);
    }
  });

  test('that is stricter without a documented reason is reported', () => {
    const result = compareDecisions(caseOf(), 'unleash', decided('allowed'), decided('not found'));
    expect(result.mismatch).toBeDefined();
  });

  test('that names another permission is reported', () => {
    const missing = (permission: string) => decided('forbidden', { missing: permission });
    const [upstream, gateway] = [missing('CREATE_FEATURE'), missing('ADMIN')];
    expect(compareDecisions(caseOf(), 'unleash', upstream, gateway).mismatch).toBeDefined();
  });

  test('hides private projects from Viewers, and nothing else', () => {
    const visibleCase = caseOf({ visible: new Set(['default']) });
    const hidden = {
      ...visibleCase,
      operation: { kind: 'health report' as const, project: PRIVATE },
    };
    const [allowed, notFound] = [decided('allowed'), decided('not found')];
    expect(compareDecisions(hidden, 'unleash', allowed, notFound)).toEqual({ met: ['D-AUTH-8'] });
    expect(compareDecisions(hidden, 'unleash', allowed, allowed).mismatch).toBeDefined();
    expect(compareDecisions(visibleCase, 'unleash', allowed, notFound).mismatch).toBeDefined();
  });

  test('cannot be explained by a stricter exception that is laxer', () => {
    const wrong: Exception = {
      id: 'D-WRONG-1',
      direction: 'stricter',
      concerns: () => true,
      apply: () => decided('allowed'),
    };
    const run = () =>
      compareDecisions(caseOf(), 'unleash', decided('forbidden'), decided('allowed'), [wrong]);
    expect(run).toThrow('D-WRONG-1');
  });
});

describe('projects a Viewer sees', () => {
  const sees = (user: User, major = 8) => {
    const visible = visibleTo(user, WORLD, major);
    return visible === 'all' || visible.has(PRIVATE);
  };
  const inGroup = (rootRole: User['groups'][number]['rootRole']) =>
    viewer({ groups: [{ name: 'g', rootRole, roles: [] }] });

  test('exclude private ones without a membership', () => {
    expect(sees(viewer())).toBe(false);
    expect(sees(viewer({ roles: [] }))).toBe(true);
  });

  test('include private ones in which the user or a group holds any role', () => {
    const role = { role: { name: 'any', type: 'custom' as const }, project: PRIVATE };
    expect(sees(viewer({ roles: [...viewer().roles, role] }))).toBe(true);
    expect(sees(viewer({ groups: [{ name: 'g', rootRole: null, roles: [role] }] }))).toBe(true);
  });

  test.each([ROOT_ROLES.admin, ROOT_ROLES.editor])(
    'are not limited in a group with the root role $name, from 7.x on',
    (rootRole) => {
      expect([6, 7, 8].map((major) => sees(inGroup(rootRole), major))).toEqual([false, true, true]);
    },
  );

  test('stay limited in a group with another root role', () => {
    expect(sees(inGroup(ROOT_ROLES.viewer))).toBe(false);
    expect(sees(inGroup({ name: 'Admin', type: 'custom' }))).toBe(false);
  });
});
