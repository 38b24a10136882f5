import { databaseFailure } from '../../data/database-failure.js';
import type { PrismaClient } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { type DomainError, InvalidKeyError, NotFoundError } from '../errors.js';
import { collectRefusals, type Guard } from '../guards.js';
import { type CloneDraft, draftClone } from './clone-draft.js';
import type { CloneFeatureInput } from './clone-feature-input.js';
import { accessGuards, nameGuards, stateGuards } from './clone-guards.js';
import type { CloneRules } from './clone-limits.js';
import { type CloneOmission, omissionsOf } from './clone-omissions.js';
import { cloneRefusal } from './clone-refusal.js';
import type { CloneFacts } from './clone-source.js';
import { assertStorableNames, findTargetProjects } from './clone-target.js';
import { findEarlierCopy, readEarlierCopies } from './find-earlier-copy.js';
import { assertIdempotencyKey, type CloneFingerprint, fingerprintOf } from './idempotency.js';
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

type Planned = {
  input: CloneFeatureInput;
  targetProject: string | null;
  /** Null if the database does not let the gateway read them. */
  facts: CloneFacts | null;
  fingerprint: CloneFingerprint | null;
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

/** Checks that need no facts. */
function* firstGuards(
  actor: Actor,
  { input, targetProject }: Omit<Planned, 'facts'>,
  { assertWritable }: PlanRules,
): Generator<Guard> {
  yield assertWritable;
  if (targetProject !== null) {
    yield* accessGuards(actor, { ...input, targetProject });
    return;
  }
  yield () => {
    throw NotFoundError.of('Feature', input.source);
  };
}

/** All checks of a clone, in order. */
function* guardsOf(
  db: PrismaClient,
  actor: Actor,
  planned: Planned,
  rules: PlanRules,
): Generator<Guard> {
  const { input, targetProject, facts, fingerprint } = planned;
  yield* firstGuards(actor, planned, rules);
  // Without facts, the database rejects every clone.
  if (facts === null) {
    if (mayClone(actor, targetProject)) yield () => assertDatabaseTakes(db, input);
    return;
  }
  if (targetProject === null) {
    yield* nameGuards(facts, input.name, false);
    return;
  }
  const order = { ...input, targetProject };
  const { idempotencyKey } = input;
  if (idempotencyKey !== undefined) yield () => assertIdempotencyKey(idempotencyKey);
  if (fingerprint && facts.earlier) {
    yield async () => {
      const copies = await readEarlierCopies(db, actor, [facts]);
      findEarlierCopy(copies, facts.earlier, fingerprint);
    };
    // The clone would return the copy of the first call, whatever has changed since.
    return;
  }
  yield* stateGuards(actor, facts, order, rules);
  if (mayClone(actor, targetProject)) yield () => assertDatabaseTakes(db, input);
}

const environmentsOf = ({ variantsOf }: CloneDraft, { target, related }: CloneFacts) => {
  const order = new Map(related?.environments.map((name, index) => [name, index]));
  return [...variantsOf.keys()]
    .toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    .map((name) => ({ name, isLinked: target?.environments.includes(name) ?? false }));
};

/** Null for an invalid key, which the guards report. */
const tryFingerprint = (actor: Actor, input: CloneFeatureInput): CloneFingerprint | null => {
  try {
    return fingerprintOf(actor, input);
  } catch (error) {
    if (error instanceof InvalidKeyError) return null;
    throw error;
  }
};

const readFacts = async (
  db: PrismaClient,
  actor: Actor,
  { input: { source, name }, targetProject, fingerprint }: Omit<Planned, 'facts'>,
): Promise<CloneFacts | null> => {
  try {
    const [read] = await readCloneFacts(db, actor, [
      {
        source,
        name,
        targetProject: targetProject ?? '',
        hasRelatedData: true,
        hasRights: false,
        fingerprint,
      },
    ]);
    return read?.facts ?? null;
  } catch (error) {
    if (databaseFailure(error) !== 'privilege') throw error;
    return null;
  }
};

/** Reports what a clone would do, without writing anything. */
export const planClone = async (
  db: PrismaClient,
  actor: Actor,
  input: CloneFeatureInput,
  rules: PlanRules,
): Promise<ClonePlan> => {
  const { name, include = [] } = input;
  const nothing = { name, draft: null, environments: [], notCopied: [] };
  const unstorable = await collectRefusals([() => assertStorableNames(input)]);
  if (unstorable.length > 0) return { ...nothing, targetProject: null, refusals: unstorable };
  const [targetProject = null] = await findTargetProjects(db, actor, [input]);
  const fingerprint = tryFingerprint(actor, input);
  const request = { input, targetProject, fingerprint };
  const facts = await readFacts(db, actor, request);
  const refusals = await collectRefusals(guardsOf(db, actor, { ...request, facts }, rules));
  if (!facts?.source) return { ...nothing, targetProject, refusals };
  const { source, related } = facts;
  const draft =
    targetProject === null ? null : draftClone(source, facts, { ...input, targetProject }, rules);
  return {
    ...nothing,
    targetProject,
    draft,
    environments: draft ? environmentsOf(draft, facts) : [],
    notCopied: related ? omissionsOf(source, related, include) : [],
    refusals,
  };
};
