import type { Sql } from '../world/sql.js';

/** A user of the world with a password, and what the role allows in project default. */
export type Person = {
  role: 'admin' | 'editor' | 'viewer' | 'project member';
  /** As typed into the sign-in form. */
  username: string;
  name: string;
  isAdmin: boolean;
  mayCopy: boolean;
};

export const ADMIN: Person = {
  role: 'admin',
  username: 'alice@example.com',
  name: 'Alice Admin',
  isAdmin: true,
  mayCopy: true,
};

export const EDITOR: Person = {
  role: 'editor',
  username: 'eddie@example.com',
  name: 'Eddie Editor',
  isAdmin: false,
  mayCopy: true,
};

export const VIEWER: Person = {
  role: 'viewer',
  username: 'vera',
  name: 'Vera Viewer',
  isAdmin: false,
  mayCopy: false,
};

/** A Viewer with the role Member in project default. */
export const MEMBER: Person = {
  role: 'project member',
  username: 'mona@example.com',
  name: 'Mona',
  isAdmin: false,
  mayCopy: true,
};

/** The world inserts the member by SQL without a password. All users share one password. */
export const setMemberPassword = async (sql: Sql): Promise<void> => {
  await sql.query(
    `update users set password_hash = (select password_hash from users where email = $1)
     where email = $2`,
    [ADMIN.username, MEMBER.username],
  );
};
