import { type Db, Prisma } from '../data/db.js';
import { MaintenanceModeError } from './errors.js';
import { isObject } from './json.js';

const NAME = 'maintenance.mode';

/** Content of the setting, for use in larger statements. */
export const SELECT_MAINTENANCE: Prisma.Sql = Prisma.sql`select content from settings where name = ${NAME}`;

export const assertNoMaintenance = (content: unknown): void => {
  if (isObject(content) && content['enabled'] === true) {
    throw new MaintenanceModeError(
      'Unleash is in maintenance mode: nothing can be changed until it ends.',
    );
  }
};

/** Rejects writes while Unleash is in maintenance mode. */
export const assertWritable = async (db: Db): Promise<void> => {
  const setting = await db.setting.findFirst({ where: { name: NAME } });
  assertNoMaintenance(setting?.content);
};
