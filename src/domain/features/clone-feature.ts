import { databaseFailure } from '../../data/database-failure.js';
import type { Feature, PrismaClient } from '../../data/db.js';
import { isWithinQuota } from '../../data/features/feature-quota.sql.js';
import { assertNotCancelled, currentWork } from '../../data/work/work.js';
import { Actor } from '../actor.js';
import {
  type DomainError,
  InvalidOperationError,
  NameExistsError,
  NoAccessError,
  NotFoundError,
  OverloadedError,
} from '../errors.js';
import { runGuards } from '../guards.js';
import { holderOf } from '../holder.js';
import { assertNoMaintenance } from '../maintenance.js';
import { settingsOf } from '../projects/project-settings.js';
import { draftClone } from './clone-draft.js';
import type { CloneFeatureInput, CloneOrder } from './clone-feature-input.js';
import { accessGuards, requireSource, stateGuards } from './clone-guards.js';
import type { CloneRules } from './clone-limits.js';
import type { CloneQueue } from './clone-queue.js';
import { cloneRefusal } from './clone-refusal.js';
import type { CloneFacts } from './clone-source.js';
import { findTargetProject } from './clone-target.js';
import { commitClone } from './commit-clone.js';
import { contestedPlaces } from './feature-quota.js';
import { findEarlierCopy } from './find-earlier-copy.js';
import { fingerprintOf } from './idempotency.js';
import { readCloneFacts } from './read-clone-facts.js';

type CloneContext = CloneRules & { queue: CloneQueue };

/** Maximum number of attempts if something that the clone depends on changes meanwhile. */
const MAX_TRIES = 5;

/** The caller with its current permissions, as read with the facts. */
const callerBy = ({ rights }: CloneFacts, actor: Actor, major: number): Actor => {
  if (rights === null) return actor;
  const { user } = rights;
  if (!user) throw new NoAccessError('Your user was deleted.');
  return new Actor({ ...holderOf(user, major), ip: actor.ip });
};

const resolveOrder = async (
  db: PrismaClient,
  actor: Actor,
  input: CloneFeatureInput,
): Promise<CloneOrder> => {
  const targetProject = await findTargetProject(db, actor, input);
  if (targetProject === null) throw NotFoundError.of('Feature', input.source);
  return { ...input, targetProject };
};

/** The clone, or why there is none yet and as whom to retry. */
type Try = { copy: Feature } | { copy: null; retryAs: Actor; reason: DomainError };

const changed = (retryAs: Actor, source: string): Try => ({
  copy: null,
  retryAs,
  reason: new OverloadedError(
    `Feature '${source}' or its target project kept changing during the clone. Retry later.`,
  ),
});

/** Failed writes whose reason a retry can reveal; null for all others. */
const retryAfter = (error: unknown, actor: Actor, { name, source }: CloneOrder): Try | null => {
  const failure = databaseFailure(error);
  if (failure === 'unique-violation') {
    return { copy: null, retryAs: actor, reason: NameExistsError.taken(name) };
  }
  if (failure === 'foreign-key-violation') {
    const message = `Data that feature '${source}' refers to was deleted during the clone. Retry.`;
    return { copy: null, retryAs: actor, reason: new InvalidOperationError(message) };
  }
  return null;
};

const tryClone = async (
  db: PrismaClient,
  actor: Actor,
  input: CloneFeatureInput,
  { queue, ...rules }: CloneContext,
): Promise<Try> => {
  const order = await resolveOrder(db, actor, input);
  await runGuards(accessGuards(actor, order));
  const { source, name, targetProject, include = [] } = order;
  const fingerprint = fingerprintOf(actor, input);
  const { facts, stillHold } = await readCloneFacts(db, actor, {
    source,
    name,
    targetProject,
    hasRelatedData: include.length > 0,
    hasRights: true,
    fingerprint,
  });
  assertNoMaintenance(facts.maintenance);
  const caller = callerBy(facts, actor, rules.unleash.major);
  if (caller.identity !== actor.identity) return changed(caller, source);

  const earlier = await findEarlierCopy(db, actor, facts.earlier, fingerprint);
  if (earlier) return { copy: earlier };
  await runGuards(stateGuards(actor, facts, order, rules));
  const found = requireSource(facts, source);
  const isMoved = input.targetProject === undefined && found.feature.projectId !== targetProject;
  if (isMoved) return changed(actor, source);

  const { featureLimit } = settingsOf(facts.settings);
  const limits = { project: featureLimit, instance: rules.limits.features };
  const quota = { targetProject, featureLimit, active: facts.active };
  const draft = draftClone(found, facts, order, rules);
  try {
    const copy = await commitClone(db, actor, draft, {
      conditions: [stillHold, isWithinQuota(targetProject, limits)],
      fingerprintId: fingerprint?.id ?? null,
      places: [
        ...(fingerprint ? [`key ${fingerprint.prefix}`] : []),
        ...contestedPlaces(quota, rules.limits),
      ],
      queue,
    });
    return copy ? { copy } : changed(actor, source);
  } catch (error) {
    const retry = retryAfter(error, actor, order);
    if (retry) return retry;
    throw error;
  }
};

/**
 * Clones a feature with its strategies under a new name, into any project, disabled in every environment. One
 * statement writes all rows or none, and only if everything that was checked still holds; otherwise everything is
 * checked again.
 */
export const cloneFeature = async (
  db: PrismaClient,
  actor: Actor,
  input: CloneFeatureInput,
  context: CloneContext,
): Promise<Feature> => {
  let caller = actor;
  try {
    for (let attempts = 1; ; attempts++) {
      assertNotCancelled();
      const attempt = await tryClone(db, caller, input, context);
      if (attempt.copy) {
        currentWork()?.writes.created.add(attempt.copy.name);
        return attempt.copy;
      }
      if (attempts === MAX_TRIES) throw attempt.reason;
      caller = attempt.retryAs;
    }
  } catch (error) {
    if (databaseFailure(error) !== 'privilege') throw error;
    throw (await cloneRefusal(db, input.include)) ?? error;
  }
};
