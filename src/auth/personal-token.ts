import { databaseFailure } from '../data/database-failure.js';
import { type Db, Prisma } from '../data/db.js';
import type { Grant, TokenHolder } from '../domain/actor.js';
import { AuthenticationRequired } from '../domain/errors.js';
import { isVerified, readPersonalCredential } from './credential.js';

type Owner = {
  id: number;
  name: string | null;
  username: string | null;
  email: string | null;
  isService: boolean | null;
  isRootAdmin: boolean;
};

type HeldPermission = {
  permission: string;
  type: string | null;
  project: string;
  environment: string | null;
};

// Root administrators of the event search are judged by the name of a role held directly, not by permissions.
const ownerOf = (condition: Prisma.Sql, furtherColumn = Prisma.empty) => Prisma.sql`
  select u.id, u.name, u.username, u.email, u.is_service as "isService", exists (
    select from role_user held join roles role on role.id = held.role_id
    where held.user_id = u.id and lower(role.name) = 'admin'
  ) as "isRootAdmin" ${furtherColumn}
  from personal_access_tokens token join users u on u.id = token.user_id
  where ${condition} and token.expires_at > now() and u.deleted_at is null and not u.is_system
  order by token.id limit 1`;

const findBySecret = async (db: Db, secret: string): Promise<Owner | undefined> => {
  const [owner] = await db.$queryRaw<Owner[]>(ownerOf(Prisma.sql`token.secret = ${secret}`));
  return owner;
};

const findBySelector = async (
  db: Db,
  selector: string,
  secret: string,
): Promise<Owner | undefined> => {
  const [owner] = await db.$queryRaw<(Owner & { verifier: string })[]>(
    ownerOf(Prisma.sql`token.selector = ${selector}`, Prisma.sql`, token.verifier`),
  );
  return owner && isVerified(secret, owner.verifier) ? owner : undefined;
};

const findOwner = async (db: Db, given: string): Promise<Owner | undefined> => {
  const credential = readPersonalCredential(given);
  const selector = credential.kind === 'selector' ? credential.selector : '';
  const bySecret = () => findBySecret(db, given);
  const bySelector = () => findBySelector(db, selector, given);
  const [first, second] = selector === '' ? [bySecret, bySelector] : [bySelector, bySecret];
  return first().catch((error: unknown) => {
    // Older originals have no selectors: all is secret to them. A newer one may do without secrets.
    if (databaseFailure(error) === 'unknown-object') return second();
    throw error;
  });
};

const listHeldPermissions = (db: Db, userId: number): Promise<HeldPermission[]> =>
  db.$queryRaw<HeldPermission[]>(Prisma.sql`
    select distinct p.permission, p.type, held.project, granted.environment
    from (
      select role_id, project from role_user where user_id = ${userId}
      union all
      select held.role_id, held.project from group_user member
      join group_role held on held.group_id = member.group_id where member.user_id = ${userId}
      union all
      select g.root_role_id, 'default' from group_user member
      join groups g on g.id = member.group_id
      where member.user_id = ${userId} and g.root_role_id is not null
    ) held
    join role_permission granted on granted.role_id = held.role_id
    join permissions p on p.permission = granted.permission`);

const toGrant = ({ permission, type, project, environment }: HeldPermission): Grant => ({
  permission,
  project: type === 'root' ? null : project,
  environment: type === 'environment' ? environment : null,
});

/** The user or service account a personal token belongs to, with the union of all its grants. */
export const findPersonalTokenHolder = async (db: Db, secret: string): Promise<TokenHolder> => {
  const owner = await findOwner(db, secret);
  if (!owner) throw AuthenticationRequired.badToken();

  const held = await listHeldPermissions(db, owner.id);
  return {
    kind: owner.isService ? 'SERVICE_ACCOUNT' : 'USER',
    userId: owner.id,
    author: owner.email || owner.username || 'unleash_system_user',
    name: owner.name || owner.username || owner.email,
    grants: held.map(toGrant),
    seesAllEvents: owner.isRootAdmin,
  };
};
