import { type AdminApi, numberOf } from './admin-api.js';
import type { Sql } from './sql.js';

/** IDs of segments by name. */
export type Segments = Record<string, number>;

/** Strategy types that new installations of newer versions no longer include. */
const addOldStrategyTypes = async (sql: Sql): Promise<void> => {
  for (const name of ['userWithId', 'remoteAddress', 'applicationHostname']) {
    await sql.query(
      `insert into strategies (name, description, parameters, built_in)
       values ($1, 'no longer brought along', '[]', 1) on conflict do nothing`,
      [name],
    );
  }
};

/** Creates tag types, context fields, strategy types and segments; changes or deletes some of them. */
export const fillBuildingBlocks = async (api: AdminApi, sql: Sql): Promise<Segments> => {
  await addOldStrategyTypes(sql);
  await api.post('/api/admin/tag-types', { name: 'team', description: 'owning team', icon: 'T' });
  await api.post('/api/admin/tag-types', { name: 'passing', description: 'goes away', icon: 'P' });
  await api.put('/api/admin/tag-types/passing', { description: 'goes away soon', icon: 'P' });
  await api.delete('/api/admin/tag-types/passing');

  const legalValues = [
    { value: 'gold' },
    { value: 'silver' },
    { value: 'bronze', description: 'least' },
  ];
  const context = { description: 'customer tier', stickiness: true };
  await api.post('/api/admin/context', { name: 'tier', ...context, legalValues });
  const numbers = [{ value: '1' }, { value: '42' }];
  await api.post('/api/admin/context', { name: 'level', ...context, legalValues: numbers });
  await api.post('/api/admin/context', { name: 'empty-list', ...context, legalValues: [] });
  await api.post('/api/admin/context', { name: 'fading', description: 'removed later' });
  await api.put('/api/admin/context/fading', { name: 'fading', description: 'removed soon' });

  const parameters = [{ name: 'groupId', type: 'string', required: false, description: 'group' }];
  await api.post('/api/admin/strategies', { name: 'grouped', description: 'own', parameters });
  await api.post('/api/admin/strategies', { name: 'doomed', description: '', parameters: [] });
  await api.post('/api/admin/strategies/grouped/deprecate');

  const segments: Segments = {};
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1', '2'] }];
  for (const segment of [
    { name: 'everywhere', description: 'usable in any project', constraints },
    { name: 'second', constraints: [] },
    { name: 'alpha only', project: 'alpha', constraints: [] },
    { name: 'default only', project: 'default', constraints: [] },
    ...[3, 4, 5, 6].map((number) => ({ name: `number ${number}`, constraints: [] })),
  ]) {
    segments[segment.name] = numberOf(await api.post('/api/admin/segments', segment), 'id');
  }
  const passing = numberOf(
    await api.post('/api/admin/segments', { name: 'passing', constraints: [] }),
    'id',
  );
  await api.put(`/api/admin/segments/${passing}`, { name: 'passing on', constraints: [] });
  await api.delete(`/api/admin/segments/${passing}`);
  return segments;
};

/** Deletes building blocks that sources still use. */
export const removeBuildingBlocks = async (api: AdminApi): Promise<void> => {
  await api.delete('/api/admin/strategies/doomed');
  await api.delete('/api/admin/context/fading', undefined, { tolerates: [409] });
};
