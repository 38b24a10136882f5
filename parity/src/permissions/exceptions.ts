import type { Clone, Operation } from './operations.js';
import type { Decision } from './send.js';
import { shows, type Visible } from './visibility.js';
import type { Caller, World } from './world.js';

/** One decision, with the data that explains it. */
export type Case = {
  major: number;
  world: World;
  caller: Caller;
  operation: Operation;
  /** Projects visible to the caller by the private project rules. */
  visible: Visible;
  /** Number of events of earlier worlds by project. */
  older: ReadonlyMap<string | null, number>;
  /** Decision of the open source edition. */
  unleash: Decision;
  /** Decision of Unleash with the rules of its paid editions that the package includes. */
  enterprise: Decision;
  /** Decision for an equal source in the target project. */
  twin?: Decision;
};

export type Edition = 'unleash' | 'enterprise';

/** One row of docs/differences.md that changes a permission decision. */
export type Exception = {
  id: string;
  /** `lifted`: the gateway deliberately omits a restriction of the open source edition or of 8.x. */
  direction: 'stricter' | 'lifted';
  /** Whether a version has the rule that the exception changes. */
  concerns(major: number): boolean;
  /** The documented decision of the gateway; undefined if the row does not apply. */
  apply(testCase: Case, decision: Decision, edition: Edition): Decision | undefined;
};

const TYPES = { older: ['admin', 'client', 'frontend'], newer: ['backend'] };

const isKnownType = (type: string, major: number) =>
  [...TYPES.older, ...(major >= 7 ? TYPES.newer : [])].includes(type.toLowerCase());

const refusal = (outcome: Decision['outcome']): Decision => ({ outcome, text: '' });

const projectOf = ({ world, operation }: Case, id: number): string | null => {
  const items = operation.kind === 'search events' ? world.events : world.deliveries;
  return items.find((item) => item.id === id)?.project ?? null;
};

/** Without a filter, a search also finds events of earlier worlds. */
const isUnfiltered = ({ operation }: Case) =>
  operation.kind === 'search events' && Object.keys(operation.filter).length === 0;

/** Removes items of other projects from a list. The total also counts events of earlier worlds. */
const keepOnly = (
  testCase: Case,
  decision: Decision,
  keeps: (project: string | null) => boolean,
): Decision | undefined => {
  const { ids, total } = decision;
  if (!ids) return undefined;
  const visibleIds = ids.filter((id) => keeps(projectOf(testCase, id)));
  const hidden = [...(isUnfiltered(testCase) ? testCase.older : [])]
    .filter(([project]) => !keeps(project) && (project !== null || showsUnassigned(testCase, ids)))
    .reduce((sum, [, count]) => sum + count, 0);
  if (visibleIds.length === ids.length && hidden === 0) return undefined;
  return {
    ...decision,
    ids: visibleIds,
    ...(total !== undefined && { total: total - (ids.length - visibleIds.length) - hidden }),
  };
};

const showsUnassigned = (testCase: Case, ids: readonly number[]) =>
  ids.some((id) => projectOf(testCase, id) === null);

const isRootAdmin = ({ caller: { user } }: Case) =>
  user?.roles.some(({ role }) => role.name.toLowerCase() === 'admin' && role.type === 'root');

const isHidden = ({ visible }: Case, project: string | null) =>
  project !== null && !shows(visible, project);

/** Enterprise drops the operator with the first hidden project of a filter, and fails if no project is left. */
const isBroken = (testCase: Case) => {
  const { operation } = testCase;
  const [first = null] =
    operation.kind === 'search events' ? (operation.filter.projects ?? []) : [];
  return isHidden(testCase, first);
};

/** A clone with a hidden source or target returns not found. */
const hideClone = (testCase: Case, { target, source }: Clone, decision: Decision) => {
  // Callers without permission to clone get the same error either way.
  if (decision.missing === 'CREATE_FEATURE') return undefined;
  const isAffected = isHidden(testCase, target) || isHidden(testCase, source.project);
  return isAffected && decision.outcome !== 'not found' ? refusal('not found') : undefined;
};

export const EXCEPTIONS: readonly Exception[] = [
  {
    id: 'D-AUTH-4',
    direction: 'lifted',
    concerns: () => true,
    apply: ({ caller, operation, enterprise }, decision, edition) =>
      edition === 'unleash' &&
      operation.kind === 'clone' &&
      operation.target !== 'default' &&
      caller.user &&
      decision.missing === 'CREATE_FEATURE' &&
      enterprise.missing !== 'CREATE_FEATURE'
        ? enterprise
        : undefined,
  },
  {
    id: 'D-NEW-10',
    direction: 'lifted',
    concerns: (major) => major >= 8,
    apply: ({ operation, twin }, decision) =>
      operation.kind === 'clone' &&
      operation.source.project !== operation.target &&
      decision.outcome === 'not found'
        ? twin
        : undefined,
  },
  {
    id: 'D-AUTH-3',
    direction: 'stricter',
    concerns: () => true,
    apply: ({ major, caller: { credential } }, decision) =>
      credential.kind === 'api' &&
      !isKnownType(credential.type, major) &&
      decision.outcome !== 'unauthenticated' &&
      decision.outcome !== 'forbidden'
        ? refusal('forbidden')
        : undefined,
  },
  {
    id: 'D-AUTH-5',
    direction: 'stricter',
    concerns: () => true,
    apply: ({ caller: { credential, user } }, decision) =>
      credential.kind === 'session' && user?.isDeleted && decision.outcome !== 'unauthenticated'
        ? refusal('unauthenticated')
        : undefined,
  },
  {
    id: 'D-NEW-6',
    direction: 'stricter',
    concerns: (major) => major < 7,
    apply: (testCase, decision) =>
      testCase.operation.kind === 'search events' && testCase.caller.user && !isRootAdmin(testCase)
        ? keepOnly(testCase, decision, (project) => project !== null)
        : undefined,
  },
  {
    id: 'D-AUTH-8',
    direction: 'stricter',
    concerns: () => true,
    apply: (testCase, decision, edition) => {
      const { operation, visible } = testCase;
      if (visible === 'all' || decision.outcome === 'unauthenticated') return undefined;
      if (operation.kind === 'clone') return hideClone(testCase, operation, decision);
      if (operation.kind === 'health report') {
        const isVisible = decision.outcome === 'allowed' && isHidden(testCase, operation.project);
        return isVisible ? refusal('not found') : undefined;
      }
      const isVisible = (project: string | null) => shows(visible, project);
      if (edition === 'unleash' || operation.kind === 'integration events')
        return keepOnly(testCase, decision, isVisible);
      return isBroken(testCase) ? keepOnly(testCase, testCase.unleash, isVisible) : undefined;
    },
  },
];
