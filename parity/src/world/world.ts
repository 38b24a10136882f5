import type { Original } from '../original.js';
import { createAdminApi } from './admin-api.js';
import { fillBuildingBlocks, removeBuildingBlocks, type Segments } from './building-blocks.js';
import { fillFeatures } from './features.js';
import { fillHistory } from './history.js';
import { addOddDeliveries, awaitDeliveries, fillIntegrations, type Sink } from './integrations.js';
import { fillPeople, type People } from './people.js';
import { fillProjects } from './projects.js';
import { fillSources, type SourceNames } from './sources.js';
import type { Sql } from './sql.js';
import { holdAnnouncements, holdBackgroundWork, releaseAnnouncements } from './standstill.js';

export type World = People & {
  segments: Segments;
  sources: SourceNames;
  /** Ids of integrations in the order in which they were made. */
  integrationIds: readonly number[];
  /** Names of all features, archived ones included. */
  features: readonly string[];
  /** Every type of event that occurs. */
  eventTypes: readonly string[];
};

const doAsPeople = async (original: Original, { callers }: People): Promise<void> => {
  const api = createAdminApi(original.url);
  const as = (caller: string) => ({ authorization: callers[caller] ?? '' });
  for (const caller of ['editor', 'rootAdmin', 'member', 'owner', 'inGroup', 'tricky']) {
    const body = { name: `made-by-${caller}`, description: `made by ${caller}` };
    await api.post('/api/admin/projects/default/features', body, as(caller));
  }
  await api.post('/api/admin/projects/default/features/rich/favorites', {}, as('viewer'));
  await api.post('/api/admin/projects/default/favorites', {}, as('viewer'));
  await api.post('/api/admin/projects/default/features/parent/favorites', {}, as('editor'));
};

/** As the original's own job would do within a minute, so that it finds nothing to announce. */
const markPotentiallyStale = async (sql: Sql): Promise<void> => {
  await sql.query(
    `update features f set potentially_stale = coalesce(now() > f.created_at +
       (select t.lifetime_days from feature_types t where t.id = f.type) * interval '1 day', false)`,
  );
};

/** Holds what the original would do at times of its own; before its first start on the database. */
export const prepareWorld = async (sql: Sql): Promise<void> => {
  await holdBackgroundWork(sql);
  // The original remembers its integrations for a minute from the first event it announces.
  await holdAnnouncements(sql);
};

/**
 * Fills the database of an original with a bit of everything: through its own API, and by SQL where the open source
 * edition has no route. `prepareWorld` has gone before. Waits until the integrations have delivered.
 */
export const fillWorld = async (original: Original, sql: Sql, sink: Sink): Promise<World> => {
  const api = createAdminApi(original.url);
  const integrationIds = await fillIntegrations(api, sink);
  await fillProjects(sql);
  const people = await fillPeople(api, sql, original.url);
  const segments = await fillBuildingBlocks(api, sql);
  await fillFeatures(api, sql, segments);
  const sources = await fillSources(sql, original.version, segments);
  await removeBuildingBlocks(api);
  await doAsPeople(original, people);
  await fillHistory(sql, people);

  await markPotentiallyStale(sql);

  await releaseAnnouncements(sql);
  await awaitDeliveries(sql);
  await addOddDeliveries(sql, integrationIds[0] ?? 0);
  const types = await sql.query<{ type: string }>('select distinct type from events order by type');
  const eventTypes = types.map(({ type }) => type);
  const features = await sql.query<{ name: string }>('select name from features order by name');
  return {
    ...people,
    segments,
    sources,
    integrationIds,
    eventTypes,
    features: features.map(({ name }) => name),
  };
};
