import type { Upstream } from '../upstream.js';
import { createAdminApi } from './admin-api.js';
import { fillBuildingBlocks, removeBuildingBlocks, type Segments } from './building-blocks.js';
import { fillFeatures } from './features.js';
import { fillHistory } from './history.js';
import { addOddDeliveries, awaitDeliveries, fillIntegrations, type Sink } from './integrations.js';
import {
  pauseAnnouncements,
  pauseBackgroundWork,
  resumeAnnouncements,
} from './pause-background-work.js';
import { fillPeople, type People } from './people.js';
import { fillProjects } from './projects.js';
import { fillSources, type SourceNames } from './sources.js';
import type { Sql } from './sql.js';
import { readVisibleProjects, type VisibleProjects } from './visible.js';

export type World = People & {
  segments: Segments;
  sources: SourceNames;
  /** IDs of integrations, in order of creation. */
  integrationIds: readonly number[];
  /** Names of all features, including archived ones. */
  features: readonly string[];
  /** Projects by feature name. */
  projectOf: Readonly<Record<string, string | null>>;
  visibleProjects: VisibleProjects;
  /** All event types that occur. */
  eventTypes: readonly string[];
};

const doAsPeople = async (upstream: Upstream, { callers }: People): Promise<void> => {
  const api = createAdminApi(upstream.url);
  const as = (caller: string) => ({ authorization: callers[caller] ?? '' });
  for (const caller of ['editor', 'rootAdmin', 'member', 'owner', 'inGroup', 'tricky']) {
    const body = { name: `made-by-${caller}`, description: `made by ${caller}` };
    await api.post('/api/admin/projects/default/features', body, as(caller));
  }
  await api.post('/api/admin/projects/default/features/rich/favorites', {}, as('viewer'));
  await api.post('/api/admin/projects/default/favorites', {}, as('viewer'));
  await api.post('/api/admin/projects/default/features/parent/favorites', {}, as('editor'));
};

/** Does what upstream's job would do within a minute, so that the job finds nothing to announce. */
const markPotentiallyStale = async (sql: Sql): Promise<void> => {
  await sql.query(
    `update features f set potentially_stale = coalesce(now() > f.created_at +
       (select t.lifetime_days from feature_types t where t.id = f.type) * interval '1 day', false)`,
  );
};

/** Blocks upstream's background jobs. Must run before upstream first starts on the database. */
export const prepareWorld = async (sql: Sql): Promise<void> => {
  await pauseBackgroundWork(sql);
  // Upstream caches its integrations for a minute from the first event it announces.
  await pauseAnnouncements(sql);
};

/**
 * Fills upstream's database with data of every kind: through its API, and by SQL where the open source edition has no
 * route. Run `prepareWorld` first. Waits until the integrations have delivered.
 */
export const fillWorld = async (upstream: Upstream, sql: Sql, sink: Sink): Promise<World> => {
  const api = createAdminApi(upstream.url);
  const integrationIds = await fillIntegrations(api, sink);
  await fillProjects(sql);
  const people = await fillPeople(api, sql, upstream.url);
  const segments = await fillBuildingBlocks(api, sql);
  await fillFeatures(api, sql, segments);
  const sources = await fillSources(sql, upstream.version, segments);
  await removeBuildingBlocks(api);
  await doAsPeople(upstream, people);
  await fillHistory(sql, people);

  await markPotentiallyStale(sql);

  await resumeAnnouncements(sql);
  await awaitDeliveries(sql);
  await addOddDeliveries(sql, integrationIds[0] ?? 0);
  const types = await sql.query<{ type: string }>('select distinct type from events order by type');
  const eventTypes = types.map(({ type }) => type);
  const features = await sql.query<{ name: string; project: string | null }>(
    'select name, project from features order by name',
  );
  return {
    ...people,
    segments,
    sources,
    integrationIds,
    eventTypes,
    features: features.map(({ name }) => name),
    projectOf: Object.fromEntries(features.map(({ name, project }) => [name, project])),
    visibleProjects: await readVisibleProjects(sql, upstream.version, people.userIds),
  };
};
