import { databaseFailure } from '../../data/database-failure.js';
import type { PrismaClient } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { type DomainError, NotFoundError } from '../errors.js';
import { collectRefusals, type Guard } from '../guards.js';
import { type CloneDraft, draftClone } from './clone-draft.js';
import type { CloneFeatureInput } from './clone-feature-input.js';
import { accessGuards, nameGuards, stateGuards } from './clone-guards.js';
import type { CloneLimits } from './clone-limits.js';
import { type CloneOmission, omissionsOf } from './clone-omissions.js';
import { cloneRefusal } from './clone-refusal.js';
import { type CloneFacts, readCloneFacts } from './clone-source.js';
import { findTargetProject } from './clone-target.js';

/** What a clone would write, and everything that keeps it from doing so. */
export type ClonePlan = {
  name: string;
  /** Null where none is named and there is no source to tell. */
  targetProject: string | null;
  /** Null where there is nothing to copy, or nowhere to copy it to. */
  draft: CloneDraft | null;
  /** Environments of the draft, in their order. */
  environments: readonly { name: string; isLinked: boolean }[];
  notCopied: readonly CloneOmission[];
  /** In the order in which the clone would meet them: it answers with the first. */
  refusals: readonly DomainError[];
};

type Judges = {
  limits: CloneLimits;
  /** Throws MaintenanceModeError while nothing may be written. */
  assertWritable: Guard;
};

/** Whether the caller would meet the database at all: names of its tables and users are for nobody else. */
const mayClone = (actor: Actor, targetProject: string | null): boolean =>
  targetProject !== null && actor.can('CREATE_FEATURE', { project: targetProject });

const assertDatabaseTakes = async (
  db: PrismaClient,
  { include }: CloneFeatureInput,
): Promise<void> => {
  const refusal = await cloneRefusal(db, include);
  if (refusal) throw refusal;
};

/** All that a clone has to pass, from the first to the last. */
function* guardsOf(
  db: PrismaClient,
  actor: Actor,
  input: CloneFeatureInput,
  targetProject: string | null,
  facts: CloneFacts,
  { limits, assertWritable }: Judges,
): Generator<Guard> {
  yield assertWritable;
  if (targetProject === null) {
    yield () => {
      throw NotFoundError.of('Feature', input.source);
    };
    yield* nameGuards(facts, input.name);
    return;
  }
  const order = { ...input, targetProject };
  yield* accessGuards(actor, order);
  yield* stateGuards(facts, order, limits);
  if (mayClone(actor, targetProject)) yield () => assertDatabaseTakes(db, input);
}

const environmentsOf = ({ variantsOf }: CloneDraft, { target, surroundings }: CloneFacts) => {
  const order = new Map(surroundings?.environments.map((name, index) => [name, index]));
  return [...variantsOf.keys()]
    .toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    .map((name) => ({ name, isLinked: target?.environments.includes(name) ?? false }));
};

/** Tells what a clone would do, without writing anything. */
export const planClone = async (
  db: PrismaClient,
  actor: Actor,
  input: CloneFeatureInput,
  judges: Judges,
): Promise<ClonePlan> => {
  const { source, name, include = [] } = input;
  const targetProject = await findTargetProject(db, input);
  const facts = await readCloneFacts(db, {
    source,
    name,
    targetProject: targetProject ?? '',
    surroundingsFor: actor.userId,
  }).catch(async (error: unknown) => {
    if (databaseFailure(error) !== 'privilege' || !mayClone(actor, targetProject)) throw error;
    throw (await cloneRefusal(db, include)) ?? error;
  });

  const refusals = await collectRefusals(guardsOf(db, actor, input, targetProject, facts, judges));
  const draft =
    facts.source && targetProject !== null
      ? draftClone(facts.source, facts, { ...input, targetProject })
      : null;
  return {
    name,
    targetProject,
    draft,
    environments: draft ? environmentsOf(draft, facts) : [],
    notCopied:
      facts.source && facts.surroundings
        ? omissionsOf(facts.source, facts.surroundings, include)
        : [],
    refusals,
  };
};
