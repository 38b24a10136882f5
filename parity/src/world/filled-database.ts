import type { Databases } from '../databases.js';
import { migrateUpstream, startUpstream } from '../upstream.js';
import { type Sink, startSink } from './integrations.js';
import { openSql } from './sql.js';
import { fillWorld, prepareWorld, type World } from './world.js';

export type FilledDatabase = { url: string; world: World };

type Options = { sink?: Sink; onProgress?: (message: string) => void };

const labelOf = (what: string, version: string) => `${what}_${version.replaceAll('.', '_')}`;

/** A database with the tables of a version of upstream. The migrations run once for each version. */
export const createTables = async (
  databases: Databases,
  version: string,
  label: string,
  onProgress?: (message: string) => void,
): Promise<string> => {
  const template = await databases.once(`tables of ${version}`, async () => {
    const url = await databases.create(labelOf('tables', version));
    onProgress?.(`Creating the tables of ${version}`);
    await migrateUpstream(version, url, onProgress);
    return url;
  });
  return databases.copy(template, labelOf(label, version));
};

const createWorld = async (
  databases: Databases,
  version: string,
  { sink, onProgress = () => undefined }: Options,
): Promise<FilledDatabase> => {
  const url = await createTables(databases, version, 'world', onProgress);
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

/**
 * A database created and filled by a version of upstream. It has no connections left, so it can be copied or attached
 * to. Integrations deliver to the given sink. Without one they delivered to a temporary sink, and the database is a copy
 * of one that is filled once for each version.
 */
export const fillDatabase = async (
  databases: Databases,
  version: string,
  options: Options = {},
): Promise<FilledDatabase> => {
  if (options.sink) return createWorld(databases, version, options);
  const { url, world } = await databases.once(`world of ${version}`, () =>
    createWorld(databases, version, options),
  );
  return {
    url: await databases.copy(url, labelOf('world', version)),
    // Scenarios add callers.
    world: structuredClone(world),
  };
};
