import { databaseFailure } from '../../data/database-failure.js';
import type { PrismaClient } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { type DomainError, NotFoundError } from '../errors.js';
import { collectRefusals, type Guard } from '../guards.js';
import { type CloneDraft, draftClone } from './clone-draft.js';
import type { CloneFeatureInput } from './clone-feature-input.js';
import { accessGuards, nameGuards, stateGuards } from './clone-guards.js';
import type { CloneRules } from './clone-limits.js';
import { type CloneOmission, omissionsOf } from './clone-omissions.js';
import { cloneRefusal } from './clone-refusal.js';
import type { CloneFacts } from './clone-source.js';
import { findTargetProject } from './clone-target.js';
import { assertIdempotencyKey } from './idempotency.js';
import { readCloneFacts } from './read-clone-facts.js';

/** What a clone would write, and everything that prevents it. */
export type ClonePlan = {
  name: string;
  /** Null if none is given and there is no source to derive it from. */
  targetProject: string | null;
  /** Null without a source or a target. */
  draft: CloneDraft | null;
  /** Environments of the draft, in order. */
  environments: readonly { name: string; isLinked: boolean }[];
  notCopied: readonly CloneOmission[];
  /** In the order of the checks: the clone would return the first. */
  refusals: readonly DomainError[];
};

type PlanRules = CloneRules & {
  /** Throws MaintenanceModeError in maintenance mode. */
  assertWritable: Guard;
};

/** Whether the clone would reach the database: its table and user names are not revealed to other callers. */
const mayClone = (actor: Actor, targetProject: string | null): boolean =>
  targetProject !== null && actor.can('CREATE_FEATURE', { project: targetProject });

const assertDatabaseTakes = async (
  db: PrismaClient,
  { include }: CloneFeatureInput,
): Promise<void> => {
  const error = await cloneRefusal(db, include);
  if (error) throw error;
};

/** All checks of a clone, in order. */
function* guardsOf(
  db: PrismaClient,
  actor: Actor,
  input: CloneFeatureInput,
  targetProject: string | null,
  facts: CloneFacts,
  { assertWritable, ...rules }: PlanRules,
): Generator<Guard> {
  yield assertWritable;
  if (targetProject === null) {
    yield () => {
      throw NotFoundError.of('Feature', input.source);
    };
    yield* nameGuards(facts, input.name, false);
    return;
  }
  const order = { ...input, targetProject };
  yield* accessGuards(actor, order);
  yield* stateGuards(actor, facts, order, rules);
  if (mayClone(actor, targetProject)) yield () => assertDatabaseTakes(db, input);
}

const environmentsOf = ({ variantsOf }: CloneDraft, { target, related }: CloneFacts) => {
  const order = new Map(related?.environments.map((name, index) => [name, index]));
  return [...variantsOf.keys()]
    .toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    .map((name) => ({ name, isLinked: target?.environments.includes(name) ?? false }));
};

/** Reports what a clone would do, without writing anything. */
export const planClone = async (
  db: PrismaClient,
  actor: Actor,
  input: CloneFeatureInput,
  rules: PlanRules,
): Promise<ClonePlan> => {
  const { source, name, include = [], idempotencyKey } = input;
  if (idempotencyKey !== undefined) assertIdempotencyKey(idempotencyKey);
  const targetProject = await findTargetProject(db, actor, input);
  const { facts } = await readCloneFacts(db, actor, {
    source,
    name,
    targetProject: targetProject ?? '',
    hasRelatedData: true,
    hasRights: false,
    fingerprint: null,
  }).catch(async (error: unknown) => {
    if (databaseFailure(error) !== 'privilege' || !mayClone(actor, targetProject)) throw error;
    throw (await cloneRefusal(db, include)) ?? error;
  });

  const refusals = await collectRefusals(guardsOf(db, actor, input, targetProject, facts, rules));
  const draft =
    facts.source && targetProject !== null
      ? draftClone(facts.source, facts, { ...input, targetProject }, rules)
      : null;
  return {
    name,
    targetProject,
    draft,
    environments: draft ? environmentsOf(draft, facts) : [],
    notCopied:
      facts.source && facts.related ? omissionsOf(facts.source, facts.related, include) : [],
    refusals,
  };
};
