import type { Db } from '../data/db.js';
import { MaintenanceModeError } from './errors.js';
import { isObject } from './json.js';

/** Refuses writes while the service is in maintenance mode. */
export const assertWritable = async (db: Db): Promise<void> => {
  const setting = await db.setting.findUnique({ where: { name: 'maintenance.mode' } });
  if (isObject(setting?.content) && setting.content['enabled'] === true) {
    throw new MaintenanceModeError(
      'The service is in maintenance mode: nothing can be changed until it ends.',
    );
  }
};
