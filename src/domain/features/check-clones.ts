import type { Feature, PrismaClient, Sql } from '../../data/db.js';
import type { ActiveCounts } from '../../data/features/feature-quota.sql.js';
import type { Actor } from '../actor.js';
import { IdempotencyKeyError, NameExistsError, NotFoundError } from '../errors.js';
import { runGuards } from '../guards.js';
import { settingsOf } from '../projects/project-settings.js';
import { draftClone } from './clone-draft.js';
import type { CloneFeatureInput, CloneOrder } from './clone-feature-input.js';
import { accessGuards, requireSource, stateGuards } from './clone-guards.js';
import type { CloneRules } from './clone-limits.js';
import { type Settled, settle } from './clone-outcome.js';
import { assertStorableNames, findTargetProjects } from './clone-target.js';
import type { FeatureQuota } from './feature-quota.js';
import { type EarlierCopies, findEarlierCopy } from './find-earlier-copy.js';
import { type CloneFingerprint, fingerprintOf } from './idempotency.js';
import type { ReadFacts } from './read-clone-facts.js';
import type { ReadyClone } from './write-clone.js';

/** A clone that the caller may request. */
export type AllowedClone = {
  input: CloneFeatureInput;
  order: CloneOrder;
  fingerprint: CloneFingerprint | null;
};

/** The copy of an earlier attempt, or what to write. `isMoved`: the source has changed projects meanwhile. */
export type CheckedClone =
  | { copy: Feature }
  | { isMoved: true }
  | (ReadyClone & { stillHold: Sql; quota: FeatureQuota });

/** Finds the target projects and checks the permissions that every clone requires. */
export const allowClones = async (
  db: PrismaClient,
  actor: Actor,
  inputs: readonly CloneFeatureInput[],
): Promise<Settled<AllowedClone>[]> => {
  const targets = await findTargetProjects(db, actor, inputs);
  const keys = new Set<string>();
  const allow = async (input: CloneFeatureInput, targetProject: string | null) => {
    assertStorableNames(input);
    if (targetProject === null) throw NotFoundError.of('Feature', input.source);
    const order = { ...input, targetProject };
    await runGuards(accessGuards(actor, order));
    const fingerprint = fingerprintOf(actor, input);
    if (fingerprint && keys.has(fingerprint.prefix)) {
      throw new IdempotencyKeyError(
        'Another clone in this list has the same idempotency key. Use a new key for each clone.',
      );
    }
    if (fingerprint) keys.add(fingerprint.prefix);
    return { input, order, fingerprint };
  };
  const settled: Settled<AllowedClone>[] = [];
  for (const [index, input] of inputs.entries()) {
    settled.push(await settle(() => allow(input, targets[index] ?? null)));
  }
  return settled;
};

/** Checks clones in order, each as if those before it were written already. */
export const createCloneChecks = (actor: Actor, copies: EarlierCopies, rules: CloneRules) => {
  const names = new Set<string>();
  const projects: string[] = [];

  /** Features after the clones before this one. */
  const activeAfter = ({ everywhere, inTarget }: ActiveCounts, project: string): ActiveCounts => ({
    everywhere: everywhere + projects.length,
    inTarget: inTarget + projects.filter((other) => other === project).length,
  });

  return async (
    { input, order, fingerprint }: AllowedClone,
    { facts: found, stillHold }: ReadFacts,
  ): Promise<CheckedClone> => {
    const { name, source, targetProject } = order;
    const earlier = findEarlierCopy(copies, found.earlier, fingerprint);
    if (earlier) return { copy: earlier };
    const facts = { ...found, active: activeAfter(found.active, targetProject) };
    await runGuards(stateGuards(actor, facts, order, rules));
    if (names.has(name)) throw NameExistsError.listedTwice(name);
    const sourceFacts = requireSource(facts, source);
    if (input.targetProject === undefined && sourceFacts.feature.projectId !== targetProject) {
      return { isMoved: true };
    }
    names.add(name);
    projects.push(targetProject);
    const { featureLimit } = settingsOf(facts.settings);
    return {
      draft: draftClone(sourceFacts, facts, order, rules),
      fingerprintId: fingerprint?.id ?? null,
      stillHold,
      quota: { targetProject, featureLimit, active: found.active },
    };
  };
};
