import type { Db } from '../data/db.js';
import { readMaintenance } from '../data/maintenance.sql.js';
import { MaintenanceModeError } from './errors.js';
import { isObject } from './json.js';

export const assertNoMaintenance = (content: unknown): void => {
  if (isObject(content) && content['enabled'] === true) {
    throw new MaintenanceModeError(
      'Unleash is in maintenance mode: nothing can be changed until it ends.',
    );
  }
};

/** Rejects writes while Unleash is in maintenance mode. */
export const assertWritable = async (db: Db): Promise<void> =>
  assertNoMaintenance(await readMaintenance(db));
