import { type Db, Prisma } from '../../data/db.js';
import { readLists } from '../../data/read-rows.js';
import {
  BadDataError,
  ForbiddenError,
  InstanceFullError,
  NameExistsError,
  NoAccessError,
  NotFoundError,
  ProjectFullError,
} from '../errors.js';
import type { JsonObject } from '../json.js';
import { settingsOf } from '../projects/project-settings.js';
import type { CloneFeatureInput } from './clone-feature-input.js';
import type { CloneLimits } from './clone-limits.js';
import {
  type CloneFacts,
  type CloneSource,
  type CloneTarget,
  countActive,
  readCloneFacts,
} from './clone-source.js';
import { assertDependency } from './dependency-rules.js';
import { assertFeatureName } from './feature-name.js';
import { assertNamingPattern } from './naming-pattern.js';
import { assertStrategies } from './strategy-rules.js';
import { sortVariantsByName } from './variant-rules.js';

export type ClonePlan = {
  source: CloneSource;
  name: string;
  targetProject: string;
  replaceGroupId: boolean;
  defaultStickiness: string;
  /** Variants of each environment the copy gets: those linked to the target project and those of the source. */
  variantsOf: ReadonlyMap<string, readonly JsonObject[]>;
  active: CloneFacts['active'];
  /** How many features the target project may have; null for any number. */
  featureLimit: number | null;
};

type Input = CloneFeatureInput & { targetProject: string };

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

type Active = CloneFacts['active'];

const assertRoomInProject = ({ inTarget }: Active, projectId: string, limit: number | null) => {
  if (limit !== null && inTarget > 0 && inTarget >= limit) {
    throw new ProjectFullError(
      `Project '${projectId}' already holds the ${limit} features it may have. Archive one or raise its limit.`,
      limit,
      projectId,
    );
  }
};

const assertRoomInInstance = ({ everywhere }: Active, limit: number) => {
  if (everywhere >= limit) {
    throw new InstanceFullError(`The installation holds the ${limit} features it may have.`, limit);
  }
};

/** Far from the limit nobody has to wait for anybody. */
const CLOSE_TO_LIMIT = 100;

/** Whether somebody else's clone may take the last place between the judgement and the writing. */
export const isContested = ({ active, featureLimit }: ClonePlan, limits: CloneLimits): boolean =>
  featureLimit !== null || active.everywhere >= limits.features - CLOSE_TO_LIMIT;

/** Clones that compete for the last places queue up, so that two at once cannot both take the very last. */
export const assertRoomInTurn = async (
  tx: Db,
  { targetProject, featureLimit }: ClonePlan,
  limits: CloneLimits,
): Promise<void> => {
  for (const place of [`project ${targetProject}`, 'installation']) {
    await tx.$queryRaw(
      Prisma.sql`select pg_advisory_xact_lock(hashtext('flaggraph.clone'), hashtext(${place}))::text`,
    );
  }
  const { active } = await readLists<{ active: Active[] }>(tx, {
    active: countActive(targetProject),
  });
  if (!active[0]) return;
  assertRoomInProject(active[0], targetProject, featureLimit);
  assertRoomInInstance(active[0], limits.features);
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

const assertStrategiesWritable = (target: CloneTarget, source: CloneSource): void => {
  const guarded = new Set(target.guarded);
  const strategy = source.strategies.find(({ environmentName }) => guarded.has(environmentName));
  if (strategy) {
    throw NoAccessError.missing('SKIP_CHANGE_REQUEST', {
      project: target.id,
      environment: strategy.environmentName,
    });
  }
};

/** Judges everything that can forbid the clone, in the original's order, and gathers what is to be written. */
export const assertCloneable = async (
  db: Db,
  input: Input,
  limits: CloneLimits,
): Promise<ClonePlan> => {
  const { name, targetProject } = input;
  const facts = await readCloneFacts(db, { source: input.source, name, targetProject });
  const { target } = facts;
  const settings = settingsOf(facts.settings);

  assertNoChangeRequests(target);
  assertFeatureName(name);
  assertNameFree(facts, name);

  const source = facts.source();
  await assertNamingPattern(name, settings.featureNaming);
  assertRoomInProject(facts.active, targetProject, settings.featureLimit);
  assertRoomInInstance(facts.active, limits.features);
  if (!target || target.archived) {
    throw new NotFoundError(
      `There is no active project '${targetProject}'.`,
      'Project',
      targetProject,
    );
  }
  assertMetadata(source);

  assertStrategiesWritable(target, source);
  assertStrategies(source.strategies, {
    targetProject,
    strategyTypes: facts.strategyTypes,
    contextFields: facts.contextFields,
    limits,
  });
  for (const dependency of source.dependencies) assertDependency({ ...dependency, targetProject });

  const variantsOf = new Map<string, readonly JsonObject[]>([
    ...target.environments.map((environment) => [environment, []] as const),
    ...source.environments.map(
      ({ environmentName, variants }) =>
        [
          environmentName,
          sortVariantsByName(variants, `environment '${environmentName}'`),
        ] as const,
    ),
  ]);

  return {
    source,
    name,
    targetProject,
    replaceGroupId: input.replaceGroupId ?? true,
    defaultStickiness: settings.defaultStickiness,
    variantsOf,
    active: facts.active,
    featureLimit: settings.featureLimit,
  };
};
