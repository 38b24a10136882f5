import { type Db, Prisma } from './db.js';

const NAME = 'maintenance.mode';

/** Content of the setting, for use in larger statements. */
export const SELECT_MAINTENANCE: Prisma.Sql = Prisma.sql`select content from settings where name = ${NAME}`;

export const readMaintenance = async (db: Db): Promise<unknown> => {
  const setting = await db.setting.findFirst({ where: { name: NAME } });
  return setting?.content;
};
