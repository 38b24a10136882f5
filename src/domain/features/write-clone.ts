import { randomUUID } from 'node:crypto';
import { type Db, type Feature, Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import type { ClonePlan } from './clone-guards.js';
import { copyStrategy, strategyEventData } from './copy-strategy.js';

type NewEvent = { type: string; environment: string | null; data: unknown };

const json = (value: unknown) => value as Prisma.InputJsonValue;

/** The metadata of a new feature, as its first event and the original's answer show it. */
export const featureMetadata = (feature: Feature) => ({
  name: feature.name,
  description: feature.description,
  type: feature.type,
  project: feature.projectId,
  stale: feature.stale,
  createdAt: feature.createdAt,
  lastSeenAt: feature.lastSeenAt,
  impressionData: feature.impressionData,
  archivedAt: feature.archivedAt,
  archived: feature.archivedAt !== null,
});

const writeFeature = (tx: Db, actor: Actor, { source, name, targetProject }: ClonePlan) =>
  tx.feature.create({
    data: {
      name,
      description: source.feature.description,
      type: source.feature.type,
      projectId: targetProject,
      stale: source.feature.stale,
      impressionData: source.feature.impressionData,
      createdByUserId: actor.userId,
    },
  });

const writeEnvironments = (tx: Db, { name, variantsOf }: ClonePlan) =>
  tx.featureEnvironment.createMany({
    data: [...variantsOf].map(([environmentName, variants]) => ({
      environmentName,
      featureName: name,
      enabled: false,
      variants: json(variants),
    })),
  });

const writeStrategies = async (tx: Db, plan: ClonePlan): Promise<NewEvent[]> => {
  if (plan.source.strategies.length === 0) return [];
  const copies = plan.source.strategies.map((source) => ({
    id: randomUUID() as string,
    source,
    copy: copyStrategy(source, {
      newName: plan.name,
      replaceGroupId: plan.replaceGroupId,
      defaultStickiness: plan.defaultStickiness,
    }),
  }));

  // The rows are read back because the events show payloads in the key order the database gives them.
  const rows = await tx.strategy.createManyAndReturn({
    data: copies.map(({ id, source, copy }) => ({
      id,
      featureName: plan.name,
      projectId: plan.targetProject,
      environmentName: source.environmentName,
      name: copy.name,
      title: copy.title,
      disabled: copy.disabled,
      parameters: json(copy.parameters),
      constraints: json(copy.constraints),
      variants: json(copy.variants),
      sortOrder: copy.sortOrder,
    })),
  });
  const links = copies.flatMap(({ id, source }) =>
    source.segments.map((segment) => ({ strategyId: id, segmentId: segment.id })),
  );
  if (links.length > 0) await tx.strategySegment.createMany({ data: links });

  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return copies.flatMap(({ id, source }) => {
    const row = rowOf.get(id);
    if (!row) return [];
    const segments = source.segments.map((segment) => segment.id);
    return [
      {
        type: 'feature-strategy-add',
        environment: row.environmentName,
        data: strategyEventData({ ...row, segments }),
      },
    ];
  });
};

const writeDependencies = async (tx: Db, { source, name }: ClonePlan): Promise<NewEvent[]> => {
  if (source.dependencies.length === 0) return [];
  await tx.dependency.createMany({
    data: source.dependencies.map(({ parentName, enabled, variants }) => ({
      parentName,
      childName: name,
      enabled,
      variants: json(variants),
    })),
  });
  return source.dependencies.map(({ parentName, enabled, variants }) => ({
    type: 'feature-dependency-added',
    environment: null,
    data: { feature: parentName, enabled, variants },
  }));
};

// A running original polls by the largest event id, so the rows are drawn last, right before the commit; and it
// sorts by time, which inside one transaction only the wall clock tells apart; a clock may tick too slowly for that.
const writeEvents = (tx: Db, actor: Actor, plan: ClonePlan, events: readonly NewEvent[]) => {
  const author = actor.author.slice(0, 255);
  const rows = events.map(
    ({ type, environment, data }, index) =>
      Prisma.sql`(${type}, ${author}, ${actor.userId}, ${JSON.stringify(data)}::json, '[]'::json,
        ${plan.targetProject}, ${environment}, ${plan.name}, ${actor.ip}, clock_timestamp() + ${index} * interval '1 microsecond')`,
  );
  return tx.$executeRaw(Prisma.sql`
    insert into events (type, created_by, created_by_user_id, data, tags, project, environment,
      feature_name, ip, created_at) values ${Prisma.join(rows)}`);
};

/** Writes the rows of a judged clone and the events that tell of it. */
export const writeClone = async (tx: Db, actor: Actor, plan: ClonePlan): Promise<Feature> => {
  const feature = await writeFeature(tx, actor, plan);
  await writeEnvironments(tx, plan);
  const strategyEvents = await writeStrategies(tx, plan);
  const dependencyEvents = await writeDependencies(tx, plan);

  await writeEvents(tx, actor, plan, [
    { type: 'feature-created', environment: null, data: featureMetadata(feature) },
    ...strategyEvents,
    ...dependencyEvents,
  ]);
  return feature;
};
