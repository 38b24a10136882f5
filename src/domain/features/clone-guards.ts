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
import { settingsOf } from '../projects/project-settings.js';
import type { CloneOrder } from './clone-feature-input.js';
import type { CloneLimits } from './clone-limits.js';
import { roomGuards } from './clone-room.js';
import type { CloneFacts, CloneSource, CloneTarget } from './clone-source.js';
import { assertDependency } from './dependency-rules.js';
import { assertFeatureName, MAX_NAME_LENGTH } from './feature-name.js';
import { assertNamingPattern } from './naming-pattern.js';
import { strategyGuards } from './strategy-rules.js';
import { assertNamedVariants } from './variant-rules.js';

const assertNoChangeRequests = (target: CloneTarget | null): void => {
  const linked = new Set(target?.environments);
  if (target?.guarded.some((environment) => linked.has(environment))) {
    throw new ForbiddenError(
      `Project '${target.id}' takes changes through change requests only, so nothing can be cloned into it.`,
    );
  }
};

const assertNameFree = ({ holder }: CloneFacts, name: string): void => {
  if (holder) throw NameExistsError.taken(name, holder);
};

/** The source, where it can be copied at all. */
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

/** Environments that take no strategy of the source, although the target project does not use them. */
const closedEnvironments = ({ guarded, environments }: CloneTarget, source: CloneSource) => {
  const used = new Set(source.strategies.map(({ environmentName }) => environmentName));
  const closed = new Set(guarded.filter((environment) => !environments.includes(environment)));
  return [...used].filter((environment) => closed.has(environment));
};

// Each event of a tag tells of all tags before it, so their number counts twice.
const MOST_TAGS = 100;

const assertTagCount = ({ source, surroundings }: CloneFacts): void => {
  const count = surroundings?.tags.length ?? 0;
  if (count <= MOST_TAGS) return;
  throw new InvalidOperationError(
    `A clone takes ${MOST_TAGS} tags along at most; feature '${source?.feature.name}' has ${count}. Clone it without its tags.`,
  );
};

/** What the caller must be allowed to do, in the original's words for each act. */
export function* accessGuards(
  actor: Actor,
  { targetProject, include = [] }: CloneOrder,
): Generator<Guard> {
  yield () => actor.require('CREATE_FEATURE', { project: targetProject });
  if (include.includes('TAGS')) {
    yield () => actor.require('UPDATE_FEATURE', { project: targetProject });
  }
}

/** Whether anything can have the name of the copy. */
export function* nameGuards(facts: CloneFacts, name: string): Generator<Guard> {
  yield () => assertFeatureName(name);
  yield () => assertNameFree(facts, name);
}

function* sourceGuards(
  source: CloneSource,
  facts: CloneFacts,
  { targetProject, include = [] }: CloneOrder,
  limits: CloneLimits,
): Generator<Guard> {
  const { target, strategyTypes, contextFields } = facts;

  yield () => assertMetadata(source);
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
  });
  for (const dependency of source.dependencies) {
    yield () => assertDependency({ ...dependency, targetProject });
  }
  for (const { environmentName, variants } of source.environments) {
    yield () => assertNamedVariants(variants, `environment '${environmentName}'`);
  }
  if (include.includes('TAGS')) yield () => assertTagCount(facts);
}

/** Everything in the database that can forbid the clone, in the original's order. */
export function* stateGuards(
  facts: CloneFacts,
  order: CloneOrder,
  limits: CloneLimits,
): Generator<Guard> {
  const { source, target, active } = facts;
  const { name, targetProject } = order;
  const { featureNaming, featureLimit } = settingsOf(facts.settings);

  yield () => assertNoChangeRequests(target);
  yield* nameGuards(facts, name);
  yield () => {
    requireSource(facts, order.source);
  };
  // A pattern is somebody else's program: it gets no text of any size.
  if (name.length <= MAX_NAME_LENGTH) yield () => assertNamingPattern(name, featureNaming);
  yield* roomGuards({ targetProject, featureLimit, active }, limits);
  yield () => assertTarget(target, targetProject);
  if (source) yield* sourceGuards(source, facts, order, limits);
}
