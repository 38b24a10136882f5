import type { Chance } from './chance.js';
import { type Caller, type Credential, ROOT_ROLES, type User } from './world.js';

/** Known types in any letter case, unknown types, and malformed ones. */
const API_TYPES = [
  'admin',
  'ADMIN',
  'client',
  'Client',
  'frontend',
  'backend',
  'strange',
  'service',
  ' admin',
  'admin ',
  'admin\n',
  'ADMİN',
  '',
] as const;

const apiCallers = (chance: Chance, label: string): Caller[] =>
  ['admin', ...chance.some(API_TYPES.slice(1), 5, 5)].map((type, index) => {
    // The first two are admin tokens that must not be expired.
    const isExpired = index > 1 && chance.percent(20);
    const credential: Credential = {
      kind: 'api',
      secret: `*:*.${label}-api-${index}`,
      type,
      isExpired,
    };
    const name = `${isExpired ? 'expired ' : ''}API token of type ${JSON.stringify(type)}`;
    return { name, credential, user: null };
  });

const expiredAdmin = (label: string): Caller => ({
  name: 'expired API token of type "admin"',
  credential: { kind: 'api', secret: `*:*.${label}-api-expired`, type: 'admin', isExpired: true },
  user: null,
});

const kindOf = ({ isService, isDeleted, id }: User) =>
  `${isDeleted ? 'deleted ' : ''}${isService ? 'service account' : 'user'} ${id}`;

const personalCaller = (chance: Chance, label: string, user: User): Caller => {
  const isExpired = chance.percent(6);
  return {
    name: `${isExpired ? 'expired ' : ''}personal token of ${kindOf(user)}`,
    credential: { kind: 'personal', secret: `user:${label}-${user.id}`, isExpired },
    user,
  };
};

const sessionCaller = (chance: Chance, label: string, user: User): Caller => {
  const isExpired = chance.percent(8);
  const isSigned = !chance.percent(8);
  const hasUser = !chance.percent(5);
  const flaws = [
    ...(isExpired ? ['expired '] : []),
    ...(isSigned ? [] : ['badly signed ']),
    ...(hasUser ? [] : ['empty ']),
  ];
  const sid = Buffer.from(`${label}-${user.id}`).toString('base64url').padEnd(32, '_');
  return {
    name: `${flaws.join('')}session of ${kindOf(user)}`,
    credential: { kind: 'session', sid, isExpired, isSigned, hasUser },
    user,
  };
};

/** Callers with every kind of credential. All users have a personal token, some also a session. */
export const makeCallers = (chance: Chance, label: string, users: readonly User[]): Caller[] => {
  const people = users.filter(({ isService }) => !isService);
  const deletedAdmin: User = {
    id: Math.max(...users.map(({ id }) => id)) + 1,
    isService: false,
    isDeleted: true,
    roles: [{ role: ROOT_ROLES.admin, project: 'default' }],
    groups: [],
  };
  return [
    { name: 'no credential', credential: { kind: 'none' }, user: null },
    {
      name: 'unknown token',
      credential: { kind: 'unknown', header: `*:*.${label}-unknown` },
      user: null,
    },
    {
      name: 'unknown personal token',
      credential: { kind: 'unknown', header: `user:${label}-unknown` },
      user: null,
    },
    ...apiCallers(chance, label),
    expiredAdmin(label),
    ...users.map((user) => personalCaller(chance, label, user)),
    ...chance.some(people, 5, 5).map((user) => sessionCaller(chance, label, user)),
    {
      name: `session of ${kindOf(deletedAdmin)}`,
      credential: {
        kind: 'session',
        sid: Buffer.from(`${label}-deleted`).toString('base64url').padEnd(32, '_'),
        isExpired: false,
        isSigned: true,
        hasUser: true,
      },
      user: deletedAdmin,
    },
  ];
};
