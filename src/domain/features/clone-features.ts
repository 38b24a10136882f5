import { databaseFailure } from '../../data/database-failure.js';
import type { Feature, PrismaClient, Sql } from '../../data/db.js';
import { isWithinQuota } from '../../data/features/feature-quota.sql.js';
import { assertNotCancelled, currentWork } from '../../data/work/work.js';
import { Actor } from '../actor.js';
import {
  type DomainError,
  InvalidOperationError,
  NameExistsError,
  NoAccessError,
  OverloadedError,
} from '../errors.js';
import { holderOf } from '../holder.js';
import { assertNoMaintenance } from '../maintenance.js';
import {
  type AllowedClone,
  allowClones,
  type CheckedClone,
  createCloneChecks,
} from './check-clones.js';
import { assertCloneCount, type CloneFeatureInput } from './clone-feature-input.js';
import type { CloneRules } from './clone-limits.js';
import { type CloneOutcome, type Settled, settle } from './clone-outcome.js';
import type { CloneQueue } from './clone-queue.js';
import { cloneRefusal } from './clone-refusal.js';
import type { CloneFacts } from './clone-source.js';
import { commitClones } from './commit-clone.js';
import { contestedQuotas, type FeatureQuota } from './feature-quota.js';
import { readEarlierCopies } from './find-earlier-copy.js';
import { readCloneFacts } from './read-clone-facts.js';

export type CloneContext = CloneRules & { queue: CloneQueue };

/** Maximum number of attempts if something that the clones depend on changes meanwhile. */
const MAX_TRIES = 5;

/** The caller with its current permissions, as read with the facts. */
const callerBy = (rights: CloneFacts['rights'], actor: Actor, major: number): Actor => {
  if (rights === null) return actor;
  const { user } = rights;
  if (!user) throw new NoAccessError('Your user was deleted.');
  return new Actor({ ...holderOf(user, major), ip: actor.ip });
};

/** The outcomes, or why there are none yet and as whom to retry. */
type Try = { outcomes: CloneOutcome[] } | { outcomes: null; retryAs: Actor; reason: DomainError };

const quoted = (inputs: readonly CloneFeatureInput[]): string =>
  [...new Set(inputs.map(({ source }) => `'${source}'`))].join(', ');

const changed = (retryAs: Actor, inputs: readonly CloneFeatureInput[]): Try => ({
  outcomes: null,
  retryAs,
  reason: new OverloadedError(
    `Feature ${quoted(inputs)} or its target project kept changing during the clone. Retry later.`,
  ),
});

/** Failed writes whose reason a retry can reveal; null for all others. */
const retryAfter = (
  error: unknown,
  retryAs: Actor,
  inputs: readonly CloneFeatureInput[],
): Try | null => {
  const failure = databaseFailure(error);
  if (failure === 'unique-violation') {
    const name = inputs.map((input) => input.name).join("', '");
    return { outcomes: null, retryAs, reason: NameExistsError.taken(name, { archived: null }) };
  }
  if (failure === 'foreign-key-violation') {
    const message = `Data that feature ${quoted(inputs)} refers to was deleted during the clone. Retry.`;
    return { outcomes: null, retryAs, reason: new InvalidOperationError(message) };
  }
  return null;
};

const isAllowed = (settled: Settled<AllowedClone>): settled is { value: AllowedClone } =>
  'value' in settled;

type Ready = Extract<CheckedClone, { draft: unknown }>;

/** Whether the projects and the instance have room for all clones together. */
const quotaConditions = (quotas: readonly FeatureQuota[], instance: number): Sql[] => {
  const limitOf = new Map(quotas.map((quota) => [quota.targetProject, quota.featureLimit]));
  return [...limitOf].map(([targetProject, project]) =>
    isWithinQuota(
      targetProject,
      { project, instance },
      {
        everywhere: quotas.length,
        inTarget: quotas.filter((quota) => quota.targetProject === targetProject).length,
      },
    ),
  );
};

const commitAll = (
  db: PrismaClient,
  actor: Actor,
  ready: readonly Ready[],
  { queue, limits }: CloneContext,
  keys: readonly string[],
): Promise<Feature[] | null> => {
  const quotas = ready.map(({ quota }) => quota);
  return commitClones(db, actor, ready, {
    conditions: [
      ...ready.map(({ stillHold }) => stillHold),
      ...quotaConditions(quotas, limits.features),
    ],
    locks: [...keys.map((key) => `key ${key}`).sort(), ...contestedQuotas(quotas, limits)],
    queue,
  });
};

/** Outcomes in the order of the inputs. `copies` are those that were written now, in order; null if none were. */
const toOutcomes = (
  checks: readonly Settled<CheckedClone>[],
  copies: readonly Feature[] | null,
): CloneOutcome[] => {
  const written = copies?.values();
  return checks.map((check): CloneOutcome => {
    if ('error' in check) return { kind: 'refused', error: check.error };
    if ('copy' in check.value) return { kind: 'copied', copy: check.value.copy };
    const next = written?.next();
    return next && !next.done ? { kind: 'copied', copy: next.value } : { kind: 'skipped' };
  });
};

/** Reads what the allowed clones are checked against, and checks them. Null: the caller's permissions have changed. */
const checkAll = async (
  db: PrismaClient,
  actor: Actor,
  settled: readonly Settled<AllowedClone>[],
  rules: CloneRules,
): Promise<{ checks: Settled<CheckedClone>[] } | { caller: Actor }> => {
  const allowed = settled.filter(isAllowed).map(({ value }) => value);
  const found = await readCloneFacts(
    db,
    actor,
    allowed.map(({ order, fingerprint }, index) => ({
      source: order.source,
      name: order.name,
      targetProject: order.targetProject,
      hasRelatedData: (order.include ?? []).length > 0,
      hasRights: index === 0,
      fingerprint,
    })),
  );
  const first = found[0]?.facts;
  assertNoMaintenance(first?.maintenance);
  const caller = callerBy(first?.rights ?? null, actor, rules.unleash.major);
  if (caller.identity !== actor.identity) return { caller };

  const copies = await readEarlierCopies(
    db,
    actor,
    found.map(({ facts }) => facts),
  );
  const check = createCloneChecks(actor, copies, rules);
  const facts = found.values();
  const checks: Settled<CheckedClone>[] = [];
  for (const one of settled) {
    const next = 'value' in one ? facts.next() : null;
    if ('error' in one) checks.push(one);
    else if (next && !next.done) checks.push(await settle(() => check(one.value, next.value)));
  }
  return { checks };
};

const tryClones = async (
  db: PrismaClient,
  actor: Actor,
  inputs: readonly CloneFeatureInput[],
  context: CloneContext,
): Promise<Try> => {
  const settled = await allowClones(db, actor, inputs);
  const allowed = settled.filter(isAllowed);
  const refusals = settled.flatMap((one) => ('error' in one ? [one] : []));
  if (allowed.length === 0) return { outcomes: toOutcomes(refusals, null) };

  const checked = await checkAll(db, actor, settled, context);
  if ('caller' in checked) return changed(checked.caller, inputs);
  const { checks } = checked;
  if (checks.some((check) => 'error' in check)) return { outcomes: toOutcomes(checks, null) };
  const clones = checks.flatMap((check) => ('value' in check ? [check.value] : []));
  if (clones.some((clone) => 'isMoved' in clone)) return changed(actor, inputs);
  const ready = clones.filter((clone): clone is Ready => 'draft' in clone);
  if (ready.length === 0) return { outcomes: toOutcomes(checks, null) };

  const keys = allowed.flatMap(({ value }) => value.fingerprint?.prefix ?? []);
  try {
    const copies = await commitAll(db, actor, ready, context, keys);
    return copies ? { outcomes: toOutcomes(checks, copies) } : changed(actor, inputs);
  } catch (error) {
    const retry = retryAfter(error, actor, inputs);
    if (retry) return retry;
    throw error;
  }
};

/**
 * Clones features with their strategies under new names, into any projects, disabled in every environment. One
 * statement writes all rows of all clones or none, and only if everything that was checked still holds; otherwise
 * everything is checked again.
 */
export const cloneFeatures = async (
  db: PrismaClient,
  actor: Actor,
  inputs: readonly CloneFeatureInput[],
  context: CloneContext,
): Promise<CloneOutcome[]> => {
  assertCloneCount(inputs.length);
  let caller = actor;
  try {
    for (let attempts = 1; ; attempts++) {
      assertNotCancelled();
      const attempt = await tryClones(db, caller, inputs, context);
      if (attempt.outcomes) {
        for (const outcome of attempt.outcomes) {
          if (outcome.kind === 'copied') currentWork()?.writes.created.add(outcome.copy.name);
        }
        return attempt.outcomes;
      }
      if (attempts === MAX_TRIES) throw attempt.reason;
      caller = attempt.retryAs;
    }
  } catch (error) {
    if (databaseFailure(error) !== 'privilege') throw error;
    const include = [...new Set(inputs.flatMap((input) => input.include ?? []))];
    throw (await cloneRefusal(db, include)) ?? error;
  }
};
