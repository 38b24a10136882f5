import type { Databases } from '../databases.js';
import { migrateOriginal, startOriginal } from '../original.js';
import { type Sink, startSink } from './integrations.js';
import { openSql } from './sql.js';
import { fillWorld, prepareWorld, type World } from './world.js';

export type FilledDatabase = { url: string; world: World };

/**
 * A database a version of the original has laid and filled; nobody is connected to it any more, so it can be copied or
 * attached to. Integrations point at the given sink, or at one that is closed again at the end.
 */
export const fillDatabase = async (
  databases: Databases,
  version: string,
  { sink, tell = () => undefined }: { sink?: Sink; tell?: (message: string) => void } = {},
): Promise<FilledDatabase> => {
  const url = await databases.create(`world_${version.replaceAll('.', '_')}`);
  tell(`Laying the tables of ${version}`);
  await migrateOriginal(version, url, tell);

  const sql = await openSql(url);
  const used = sink ?? (await startSink());
  try {
    await prepareWorld(sql);
    tell(`Starting the original ${version}`);
    const original = await startOriginal(version, url, { tell });
    try {
      tell('Filling a world through its API');
      return { url, world: await fillWorld(original, sql, used) };
    } finally {
      await original.stop();
    }
  } finally {
    await sql.close();
    if (!sink) await used.close();
  }
};
