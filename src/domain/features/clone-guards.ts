import type { Actor } from '../actor.js';
import {
  BadDataError,
  ForbiddenError,
  InvalidOperationError,
  NameExistsError,
  NoAccessError,
  NotFoundError,
} from '../errors.js';
import type { Guard } from '../guards.js';
import { asArray } from '../json.js';
import { settingsOf } from '../projects/project-settings.js';
import type { CloneOrder } from './clone-feature-input.js';
import type { CloneRules } from './clone-limits.js';
import type { CloneFacts, CloneSource, CloneTarget } from './clone-source.js';
import { assertDependency } from './dependency-rules.js';
import { assertLinkTemplate } from './feature-links.js';
import { assertFeatureName, MAX_NAME_LENGTH } from './feature-name.js';
import { quotaGuards } from './feature-quota.js';
import { assertNamingPattern } from './naming-pattern.js';
import { strategyGuards } from './strategy-rules.js';
import { assertNamedVariants } from './variant-rules.js';

const assertNoChangeRequests = (target: CloneTarget | null): void => {
  const linked = new Set(target?.environments);
  if (target?.guarded.some((environment) => linked.has(environment))) {
    throw new ForbiddenError(
      `Project '${target.id}' accepts changes only through change requests, so features cannot be cloned into it.`,
    );
  }
};

/** Names are unique across projects, but a hidden feature is revealed only to callers that may create one. */
const assertNameFree = ({ holder }: CloneFacts, name: string, mayCreate: boolean): void => {
  if (holder && (holder.isVisible || mayCreate)) throw NameExistsError.taken(name, holder);
};

/** Throws if the source does not exist or is archived. */
export const requireSource = ({ source }: CloneFacts, name: string): CloneSource => {
  if (!source) throw NotFoundError.of('Feature', name);
  if (source.feature.archivedAt !== null) {
    throw new NotFoundError(`Feature '${name}' is archived. Revive it first.`, 'Feature', name);
  }
  return source;
};

const assertTarget = (target: CloneTarget | null, id: string): void => {
  if (target && !target.archived) return;
  throw new NotFoundError(`There is no active project '${id}'.`, 'Project', id);
};

const assertMetadata = ({ feature }: CloneSource): void => {
  const missing = [
    ...(feature.stale === null ? ['stale'] : []),
    ...(feature.type === null ? ['type'] : []),
    ...(feature.impressionData === null ? ['impressionData'] : []),
  ].map((field) => ({ message: `Feature '${feature.name}' has no value for '${field}'.` }));
  const [first, ...rest] = missing;
  if (first) throw BadDataError.of(first, ...rest);
};

/**
 * Environments with strategies of the source that require change requests, although the target project does not use
 * them.
 */
const closedEnvironments = ({ guarded, environments }: CloneTarget, source: CloneSource) => {
  const used = new Set(source.strategies.map(({ environmentName }) => environmentName));
  const closed = new Set(guarded.filter((environment) => !environments.includes(environment)));
  return [...used].filter((environment) => closed.has(environment));
};

// Each tag event contains all tags before it, so the size grows quadratically.
const MAX_TAGS = 100;

const assertTagCount = ({ source, related }: CloneFacts): void => {
  const count = related?.tags.length ?? 0;
  if (count <= MAX_TAGS) return;
  throw new InvalidOperationError(
    `A clone can copy at most ${MAX_TAGS} tags; feature '${source?.feature.name}' has ${count}. Clone it without its tags.`,
  );
};

/** Permissions that every clone requires. */
export function* accessGuards(
  actor: Actor,
  { targetProject, include = [] }: CloneOrder,
): Generator<Guard> {
  yield () => actor.require('CREATE_FEATURE', { project: targetProject });
  if (include.includes('TAGS')) {
    yield () => actor.require('UPDATE_FEATURE', { project: targetProject });
  }
}

/** Checks that the name is valid and free. */
export function* nameGuards(facts: CloneFacts, name: string, mayCreate: boolean): Generator<Guard> {
  yield () => assertFeatureName(name);
  yield () => assertNameFree(facts, name, mayCreate);
}

function* sourceGuards(
  source: CloneSource,
  facts: CloneFacts,
  { name, targetProject, include = [] }: CloneOrder,
  { limits, unleash }: CloneRules,
): Generator<Guard> {
  const { target, linkTemplates, strategyTypes, contextFields } = facts;
  const { major } = unleash;

  yield () => assertMetadata(source);
  for (const template of linkTemplates) {
    yield () => assertLinkTemplate(template, { name, targetProject });
  }
  for (const environment of target ? closedEnvironments(target, source) : []) {
    yield () => {
      throw NoAccessError.missing('SKIP_CHANGE_REQUEST', { project: targetProject, environment });
    };
  }
  yield* strategyGuards(source.strategies, {
    targetProject,
    strategyTypes,
    contextFields,
    limits,
    major,
  });
  for (const dependency of source.dependencies) {
    yield () => assertDependency({ ...dependency, targetProject, major });
  }
  for (const { environmentName, variants } of source.environments) {
    yield () => assertNamedVariants(variants, `environment '${environmentName}'`);
  }
  if (include.includes('TAGS')) yield () => assertTagCount(facts);
}

/**
 * Since Unleash 8.0, a clone requires the permissions to add what it copies, in each environment: otherwise it could
 * carry strategies and variants into environments that are closed to the caller.
 */
function* environmentGuards(
  actor: Actor,
  { environments, strategies }: CloneSource,
  project: string,
): Generator<Guard> {
  const withStrategies = new Set(strategies.map(({ environmentName }) => environmentName));
  for (const { environmentName: environment, variants } of environments) {
    if (withStrategies.has(environment)) {
      yield () => actor.require('CREATE_FEATURE_STRATEGY', { project, environment });
    }
    if (asArray(variants).length > 0) {
      yield () => actor.require('UPDATE_FEATURE_ENVIRONMENT_VARIANTS', { project, environment });
    }
  }
}

/** Everything in the database that can forbid the clone, in the order in which Unleash checks it. */
export function* stateGuards(
  actor: Actor,
  facts: CloneFacts,
  order: CloneOrder,
  rules: CloneRules,
): Generator<Guard> {
  const { limits, unleash } = rules;
  const { source, target, active } = facts;
  const { name, targetProject } = order;
  const { featureNaming, featureLimit } = settingsOf(facts.settings);

  const mayCreate = actor.can('CREATE_FEATURE', { project: targetProject });

  yield () => assertNoChangeRequests(target);
  yield* nameGuards(facts, name, mayCreate);
  yield () => {
    requireSource(facts, order.source);
  };
  if (source && unleash.major >= 8) yield* environmentGuards(actor, source, targetProject);
  // A pattern is untrusted code: it gets only names of limited length, and runs only for callers that may clone.
  if (mayCreate && name.length <= MAX_NAME_LENGTH) {
    yield () => assertNamingPattern(name, featureNaming);
  }
  yield* quotaGuards({ targetProject, featureLimit, active }, limits);
  yield () => assertTarget(target, targetProject);
  if (source) yield* sourceGuards(source, facts, order, rules);
}
