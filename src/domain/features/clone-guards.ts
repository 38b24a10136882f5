import { type Db, Prisma } from '../../data/db.js';
import {
  BadDataError,
  ForbiddenError,
  InstanceFullError,
  NameExistsError,
  NoAccessError,
  NotFoundError,
  ProjectFullError,
} from '../errors.js';
import { asObjects, type JsonObject } from '../json.js';
import { settingsOf } from '../projects/project-settings.js';
import type { CloneFeatureInput } from './clone-feature-input.js';
import type { CloneLimits } from './clone-limits.js';
import { type CloneSource, findCloneSource } from './clone-source.js';
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
};

type Input = CloneFeatureInput & { targetProject: string };

// Inside a transaction one statement runs at a time, so what belongs together is asked for in turn.
const findTarget = async (tx: Db, id: string) => {
  const project = await tx.project.findUnique({ where: { id } });
  if (!project) return null;
  const where = { projectId: id };
  const settings = await tx.projectSettings.findUnique({ where });
  const environments = await tx.projectEnvironment.findMany({ where });
  const changeRequests = await tx.changeRequestSetting.findMany({ where });
  return { ...project, settings, environments, changeRequests };
};

type Target = Awaited<ReturnType<typeof findTarget>>;

const assertNoChangeRequests = (target: Target): void => {
  const linked = new Set(target?.environments.map((row) => row.environmentName));
  if (target?.changeRequests.some((row) => linked.has(row.environmentName))) {
    throw new ForbiddenError(
      `Project '${target.id}' takes changes through change requests only, so nothing can be cloned into it.`,
    );
  }
};

const assertNameFree = async (tx: Db, name: string): Promise<void> => {
  const holder = await tx.feature.findUnique({ where: { name }, select: { archivedAt: true } });
  if (holder) throw NameExistsError.taken(name, { archived: holder.archivedAt !== null });
};

/** Clones that compete for the last places queue up, so that two at once cannot both take the very last. */
const queueUp = (tx: Db, place: string) =>
  tx.$queryRaw(
    Prisma.sql`select pg_advisory_xact_lock(hashtext('flaggraph.clone'), hashtext(${place}))::text`,
  );

const assertRoomInProject = async (tx: Db, projectId: string, limit: number | null) => {
  if (limit === null) return;
  await queueUp(tx, `project ${projectId}`);
  const count = await tx.feature.count({ where: { projectId, archivedAt: null } });
  if (count > 0 && count >= limit) {
    throw new ProjectFullError(
      `Project '${projectId}' already holds the ${limit} features it may have. Archive one or raise its limit.`,
      limit,
      projectId,
    );
  }
};

/** Far from the limit nobody has to wait for anybody. */
const CLOSE_TO_LIMIT = 100;

const assertRoomInInstance = async (tx: Db, limit: number) => {
  const where = { archivedAt: null };
  if ((await tx.feature.count({ where })) < limit - CLOSE_TO_LIMIT) return;
  await queueUp(tx, 'installation');
  if ((await tx.feature.count({ where })) >= limit) {
    throw new InstanceFullError(`The installation holds the ${limit} features it may have.`, limit);
  }
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

const assertStrategiesWritable = (target: NonNullable<Target>, source: CloneSource): void => {
  const guarded = new Set(target.changeRequests.map((row) => row.environmentName));
  const strategy = source.strategies.find(({ environmentName }) => guarded.has(environmentName));
  if (strategy) {
    throw NoAccessError.missing('SKIP_CHANGE_REQUEST', {
      project: target.id,
      environment: strategy.environmentName,
    });
  }
};

const contextFieldsOf = async (tx: Db, source: CloneSource) => {
  const names = source.strategies.flatMap(({ constraints }) =>
    asObjects(constraints).flatMap(({ contextName }) =>
      typeof contextName === 'string' ? [contextName] : [],
    ),
  );
  if (names.length === 0) return new Map();
  const rows = await tx.contextField.findMany({ where: { name: { in: names } } });
  return new Map(
    rows.map(({ name, legalValues }) => {
      const values = asObjects(legalValues).flatMap(({ value }) =>
        typeof value === 'string' ? [value] : [],
      );
      return [name, { legalValues: values.length > 0 ? values : null }];
    }),
  );
};

const strategyTypesOf = async (tx: Db, source: CloneSource): Promise<ReadonlySet<string>> => {
  const names = source.strategies.map(({ name }) => name);
  if (names.length === 0) return new Set();
  const rows = await tx.strategyType.findMany({
    where: { name: { in: names } },
    select: { name: true },
  });
  return new Set(rows.map(({ name }) => name));
};

/** Judges everything that can forbid the clone, in the original's order, and gathers what is to be written. */
export const assertCloneable = async (
  tx: Db,
  input: Input,
  limits: CloneLimits,
): Promise<ClonePlan> => {
  const { name, targetProject } = input;
  const target = await findTarget(tx, targetProject);
  const settings = settingsOf(target?.settings ?? null);

  assertNoChangeRequests(target);
  assertFeatureName(name);
  await assertNameFree(tx, name);

  const source = await findCloneSource(tx, input.source);
  await assertNamingPattern(name, settings.featureNaming);
  await assertRoomInProject(tx, targetProject, settings.featureLimit);
  await assertRoomInInstance(tx, limits.features);
  if (!target || target.archivedAt !== null) {
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
    strategyTypes: await strategyTypesOf(tx, source),
    contextFields: await contextFieldsOf(tx, source),
    limits,
  });
  for (const dependency of source.dependencies) assertDependency({ ...dependency, targetProject });

  const variantsOf = new Map<string, readonly JsonObject[]>([
    ...target.environments.map(({ environmentName }) => [environmentName, []] as const),
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
  };
};
