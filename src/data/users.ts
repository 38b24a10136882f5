import type { Db, Prisma } from './db.js';

/** Columns of `ShownUser`. */
export const SHOWN_USER = {
  id: true,
  name: true,
  username: true,
  email: true,
  imageUrl: true,
  isSystem: true,
} as const satisfies Prisma.UserSelect;

/** The fields of a user that responses contain or are derived from. */
export type ShownUser = Prisma.UserGetPayload<{ select: typeof SHOWN_USER }>;

export const readUsers = (db: Db, ids: readonly number[]): Promise<ShownUser[]> =>
  db.user.findMany({ where: { id: { in: [...ids] } }, select: SHOWN_USER });
