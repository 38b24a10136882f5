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
  /** Ids of integrations in the order in which they were made. */
  integrationIds: readonly number[];
  /** Names of all features, archived ones included. */
  features: readonly string[];
  /** Projects of features, by their names. */
  projectOf: Readonly<Record<string, string | null>>;
  visibleProjects: VisibleProjects;
  /** Every type of event that occurs. */
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

/** As upstream's own job would do within a minute, so that it finds nothing to announce. */
const markPotentiallyStale = async (sql: Sql): Promise<void> => {
  await sql.query(
    `update features f set potentially_stale = coalesce(now() > f.created_at +
       (select t.lifetime_days from feature_types t where t.id = f.type) * interval '1 day', false)`,
  );
};

/** Holds what upstream would do at times of its own; before its first start on the database. */
export const prepareWorld = async (sql: Sql): Promise<void> => {
  await pauseBackgroundWork(sql);
  // Upstream remembers its integrations for a minute from the first event it announces.
  await pauseAnnouncements(sql);
};

/**
 * Fills the database of upstream with data of every kind: through its own API, and by SQL where the open source
 * edition has no route. Run `prepareWorld` first. Waits until the integrations have delivered.
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
