import type { Db, Prisma } from '../../data/db.js';
import { literalPattern } from '../../data/sql/conditions.sql.js';
import { SHOWN_USER, type ShownUser } from '../../data/users.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertSearchText, MAX_NAME_TEXT_LENGTH } from '../text.js';

/** `search` is a literal text, matched case-insensitively in the name; for administrators also in username and email. */
type Query = { search?: string | undefined };

const contains = (text: string) => ({
  contains: literalPattern(text),
  mode: 'insensitive' as const,
});

/** A user without a name is shown by username or email, and only administrators may see emails. */
const NAMED_WITHOUT_EMAIL: Prisma.UserWhereInput = {
  OR: [
    { name: { not: '' }, NOT: { name: { contains: '@' } } },
    {
      OR: [{ name: null }, { name: '' }],
      username: { not: '' },
      NOT: { username: { contains: '@' } },
    },
  ],
};

const matchingUsers = (actor: Actor, { search }: Query): Prisma.UserWhereInput => {
  assertSearchText("'search'", search ?? '', MAX_NAME_TEXT_LENGTH);

  const isAdmin = actor.can('ADMIN');
  const text = contains(search ?? '');
  const found = isAdmin
    ? { OR: [{ name: text }, { username: text }, { email: text }] }
    : { name: text };
  return {
    AND: [
      { deletedAt: null, isSystem: false, OR: [{ isService: false }, { isService: null }] },
      isAdmin ? {} : NAMED_WITHOUT_EMAIL,
      search === undefined || search === '' ? {} : found,
    ],
  };
};

/** The page of users next to a known ID, by ID. */
export const listUsers = async (
  db: Db,
  actor: Actor,
  { page, ...query }: Query & { page: KeysetPage<number> },
): Promise<Slice<ShownUser>> => {
  const rows = await db.user.findMany({
    where: {
      AND: [
        matchingUsers(actor, query),
        page.after === undefined ? {} : { id: { gt: page.after } },
        page.before === undefined ? {} : { id: { lt: page.before } },
      ],
    },
    select: SHOWN_USER,
    orderBy: { id: page.backward ? 'desc' : 'asc' },
    take: page.limit + 1,
  });
  return sliceOf(rows, page);
};

/** Exact, or up to `upTo` if given. */
export const countUsers = (
  db: Db,
  actor: Actor,
  { upTo, ...query }: Query & { upTo?: number | undefined },
): Promise<number> =>
  db.user.count({ where: matchingUsers(actor, query), ...(upTo !== undefined && { take: upTo }) });
