import type { Databases } from '../databases.js';
import { migrateUpstream, startUpstream } from '../upstream.js';
import { type Sink, startSink } from './integrations.js';
import { openSql } from './sql.js';
import { fillWorld, prepareWorld, type World } from './world.js';

export type FilledDatabase = { url: string; world: World };

/**
 * A database created and filled by a version of upstream. It has no connections left, so it can be copied or attached
 * to. Integrations deliver to the given sink, or to a temporary one.
 */
export const fillDatabase = async (
  databases: Databases,
  version: string,
  {
    sink,
    onProgress = () => undefined,
  }: { sink?: Sink; onProgress?: (message: string) => void } = {},
): Promise<FilledDatabase> => {
  const url = await databases.create(`world_${version.replaceAll('.', '_')}`);
  onProgress(`Creating the tables of ${version}`);
  await migrateUpstream(version, url, onProgress);

  const sql = await openSql(url);
  const used = sink ?? (await startSink());
  try {
    await prepareWorld(sql);
    onProgress(`Starting upstream ${version}`);
    const upstream = await startUpstream(version, url, { onProgress });
    try {
      onProgress('Creating test data through its API');
      return { url, world: await fillWorld(upstream, sql, used) };
    } finally {
      await upstream.stop();
    }
  } finally {
    await sql.close();
    if (!sink) await used.close();
  }
};
