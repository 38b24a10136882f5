import { databaseFailure } from '../database-failure.js';
import { type Db, Prisma } from '../db.js';
import { ACTIVE_USER, USER_COLUMNS, type UserRow } from '../user-rights.sql.js';

// The stored user is only a snapshot from sign-in: everything but the ID is read from `users`.
const USER_ID = Prisma.sql`(session.sess -> 'user' ->> 'id')`;

/** The signed-in user, unless the session has expired or ended, or the user was deleted. */
export const findSessionUser = async (db: Db, sid: string): Promise<UserRow | undefined> => {
  try {
    const [user] = await db.$queryRaw<UserRow[]>(Prisma.sql`
      select ${USER_COLUMNS} from unleash_session session
      join users u on u.id = case when ${USER_ID} ~ '^[0-9]{1,9}$' then ${USER_ID}::int end
      where session.sid = ${sid} and session.expired >= now() and ${ACTIVE_USER}`);
    return user;
  } catch (error) {
    // Without the table there are no sessions.
    if (databaseFailure(error) === 'unknown-object') return undefined;
    throw error;
  }
};
