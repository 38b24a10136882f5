import type { UnleashLayoutReader } from '../data/layout/unleash-layout.sql.js';
import type { UserRow } from '../data/user-rights.sql.js';
import type { Holder } from '../domain/actor.js';
import { holderOf } from '../domain/holder.js';

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** Unleash 6 can't load users whose stored email is not an address: to it they don't exist. */
export const isLoadable = async (
  { email }: UserRow,
  layout: UnleashLayoutReader,
): Promise<boolean> => !email || ADDRESS.test(email) || (await layout.current()).major > 6;

/** Current permissions and visible projects of a user. The version matters only if projects may be hidden. */
export const toHolder = async (layout: UnleashLayoutReader, user: UserRow): Promise<Holder> =>
  holderOf(user, user.openProjects === null ? 6 : (await layout.current()).major);
