import { type Case, type Edition, EXCEPTIONS, type Exception } from './exceptions.js';
import { describe } from './operations.js';
import type { Decision } from './send.js';
import type { RoleAssignment, User } from './world.js';

const isSameList = (a: readonly number[] | undefined, b: readonly number[] | undefined) =>
  a?.join() === b?.join();

export const isSame = (a: Decision, b: Decision): boolean =>
  a.outcome === b.outcome &&
  a.missing === b.missing &&
  a.total === b.total &&
  isSameList(a.ids, b.ids);

const REFUSALS: readonly string[] = ['unauthenticated', 'forbidden', 'not found'];

/** Whether one decision allows more than the other. */
const isMorePermissive = (a: Decision, b: Decision): boolean =>
  (a.outcome === 'allowed' && REFUSALS.includes(b.outcome)) ||
  (a.ids ?? []).some((id) => !(b.ids ?? []).includes(id)) ||
  (a.total ?? 0) > (b.total ?? 0);

export type Mismatch = {
  /** Equal for mismatches that probably have the same cause. */
  sort: string;
  /** Caller, grants, operation and both responses. */
  text: string;
};

export type ComparisonResult = {
  /** IDs of the documented exceptions that explain the difference. */
  met: string[];
  mismatch?: Mismatch;
};

const rolesText = (roles: readonly RoleAssignment[]) =>
  roles.map(({ role, project }) => `${role.name} (${role.type}) in ${project}`).join(', ') ||
  'none';

const grantsOf = (user: User | null): string => {
  if (!user) return 'no user';
  const groups = user.groups.map(
    ({ name, rootRole, roles }) =>
      `${name} (root role ${rootRole ? `${rootRole.name} of type ${rootRole.type}` : 'none'}; ${rolesText(roles)})`,
  );
  return `roles ${rolesText(user.roles)}; groups ${groups.join(', ') || 'none'}`;
};

const permissionsOf = ({ caller: { user }, world }: Case): string => {
  const names = [
    ...(user?.roles ?? []).map(({ role }) => role.name),
    ...(user?.groups ?? []).flatMap(({ rootRole, roles }) => [
      ...(rootRole ? [rootRole.name] : []),
      ...roles.map(({ role }) => role.name),
    ]),
  ];
  const custom = world.roles.filter(({ name }) => names.includes(name));
  return custom
    .map(({ name, permissions }) => {
      const grants = permissions.map(([permission, environment]) =>
        environment === null ? permission : `${permission}@${environment}`,
      );
      return `${name} = ${grants.join(' ') || 'nothing'}`;
    })
    .join('; ');
};

const show = ({ outcome, missing, ids, total, text }: Decision) =>
  [
    outcome,
    ...(missing ? [`missing ${missing}`] : []),
    ...(ids ? [`${ids.length} shown`] : []),
    ...(total === undefined ? [] : [`${total} in all`]),
    ...(outcome === 'allowed' ? [] : [text]),
  ].join(', ');

const explain = (
  testCase: Case,
  edition: Edition | 'REST',
  unleash: Decision,
  gateway: Decision,
  side = 'gateway',
): Mismatch => ({
  sort: `${testCase.operation.kind}, ${testCase.caller.credential.kind}: ${edition} ${unleash.outcome}, ${side} ${gateway.outcome}`,
  text: [
    `${testCase.world.label}, ${testCase.caller.name}: ${describe(testCase.operation)}`,
    `          grants    ${grantsOf(testCase.caller.user)}`,
    `          roles     ${permissionsOf(testCase) || 'no custom role'}`,
    `          projects  ${testCase.world.projects.map(({ id, mode }) => `${id} ${mode}`).join(', ')}`,
    `          ${edition.padEnd(9)} ${show(unleash)}`,
    `          ${side.padEnd(9)} ${show(gateway)}`,
  ].join('\n'),
});

/** Compares one decision. Documented exceptions, applied to Unleash's decision, must explain any difference. */
export const compareDecisions = (
  testCase: Case,
  edition: Edition,
  unleash: Decision,
  gateway: Decision,
  exceptions: readonly Exception[] = EXCEPTIONS,
): ComparisonResult => {
  const met: string[] = [];
  let expected = unleash;
  for (const { id, direction, concerns, apply } of exceptions) {
    const changed = concerns(testCase.major) ? apply(testCase, expected, edition) : undefined;
    if (!changed) continue;
    if (direction === 'stricter' && isMorePermissive(changed, expected)) {
      throw new Error(`${id} makes the gateway more permissive: ${describe(testCase.operation)}`);
    }
    expected = changed;
    met.push(id);
  }
  return isSame(expected, gateway)
    ? { met }
    : { met: [], mismatch: explain(testCase, edition, unleash, gateway) };
};

/** REST and GraphQL of the gateway must decide the same. Clones are only planned over GraphQL. */
export const compareGraph = (
  testCase: Case,
  rest: Decision,
  graph: Decision,
): Mismatch | undefined => {
  const { total: _, ...withoutTotal } = graph;
  const compared = rest.total === undefined ? withoutTotal : graph;
  return isSame(rest, testCase.caller.user ? compared : withoutMissing(compared))
    ? undefined
    : explain(testCase, 'REST', rest, graph, 'GraphQL');
};

const withoutMissing = ({ missing: _, ...decision }: Decision): Decision => decision;
