import type { DemoTokenKey } from './tokens.js';

export type PersonKey = Exclude<
  DemoTokenKey,
  'admin' | 'client' | 'frontend' | 'expiredAdmin' | 'unknownType'
>;

/** Unleash's predefined roles, and two custom ones. */
export const ROLE = {
  admin: 1,
  editor: 2,
  viewer: 3,
  owner: 4,
  member: 5,
  releaseManager: 6,
  paymentsApprover: 7,
} as const;

export const CUSTOM_ROLES = [
  {
    id: ROLE.releaseManager,
    name: 'Release manager',
    description: 'May create features, wherever the role is held.',
    type: 'root-custom',
    grants: [{ permission: 'CREATE_FEATURE', environment: null }],
    created: -74,
  },
  {
    id: ROLE.paymentsApprover,
    name: 'Payments approver',
    description: 'Approves and applies what others want to change in production.',
    type: 'custom',
    grants: [
      { permission: 'APPROVE_CHANGE_REQUEST', environment: 'production' },
      { permission: 'APPLY_CHANGE_REQUEST', environment: 'production' },
    ],
    created: -73,
  },
] as const;

export type Person = {
  key: PersonKey;
  id: number;
  name: string;
  username: string | null;
  email: string | null;
  picture: boolean;
  joined: number;
  rootRole: number | null;
  isService: boolean;
  /** Day on which the account was deleted. */
  left?: number;
};

const person = (
  key: PersonKey,
  id: number,
  name: string,
  joined: number,
  rootRole: number | null,
  more: Partial<Person> = {},
): Person => {
  const mailbox = name
    .replaceAll('ø', 'o')
    .replaceAll('ı', 'i')
    .normalize('NFD')
    .replace(/[^A-Za-z ]/g, '')
    .toLowerCase()
    .split(' ')
    .join('.');
  return {
    key,
    id,
    name,
    username: null,
    email: `${mailbox}@harbour-pine.example`,
    picture: false,
    joined,
    rootRole,
    isService: false,
    ...more,
  };
};

const withoutMail = (username: string) => ({ username, email: null });

export const PEOPLE: readonly Person[] = [
  person('rootAdmin', 1, 'Ada Berg', -92, ROLE.admin, { picture: true, username: 'ada' }),
  person('editor', 2, 'Emil Castellanos', -92, ROLE.editor, { picture: true }),
  person('viewer', 3, 'Vera Nyström', -91, ROLE.viewer),
  person('owner', 4, 'Olu Adeyemi', -91, ROLE.viewer, withoutMail('olu')),
  person('member', 5, 'Mina Sørensen', -90, ROLE.viewer, { picture: true }),
  person('groupMember', 6, 'Goran Petrović', -88, ROLE.viewer),
  person('groupAdmin', 7, 'Greta Lindqvist', -85, ROLE.viewer),
  person('customRoot', 8, "Caoimhe O'Neil", -76, ROLE.releaseManager),
  person('serviceAccount', 9, 'Deploy robot', -70, ROLE.admin, {
    ...withoutMail('deploy-robot'),
    isService: true,
  }),
  person('wildcard', 10, 'Wen 文 Zhao', -68, null, withoutMail('wen.zhao')),
  person('noRole', 11, 'Noor Haddad', -20, null),
  person('approver', 12, 'Álvaro Peña', -73, ROLE.viewer),
  person('deletedUser', 13, 'Dmitri Kask', -92, ROLE.editor, { left: -38 }),
  person('expired', 14, 'Esra Yıldız', -60, ROLE.editor),
];

/** Project roles; `*` means all projects. */
export const PROJECT_GRANTS: readonly {
  person: PersonKey;
  role: number;
  project: string;
  day: number;
}[] = [
  { person: 'owner', role: ROLE.owner, project: 'web-shop', day: -90 },
  { person: 'owner', role: ROLE.owner, project: 'payments', day: -84 },
  { person: 'member', role: ROLE.member, project: 'web-shop', day: -89 },
  { person: 'member', role: ROLE.member, project: 'mobile', day: -87 },
  { person: 'approver', role: ROLE.paymentsApprover, project: 'payments', day: -72 },
  { person: 'wildcard', role: ROLE.member, project: '*', day: -68 },
  { person: 'approver', role: ROLE.member, project: 'lab', day: -12 },
  { person: 'expired', role: ROLE.owner, project: 'warehouse', day: -25 },
];

export const GROUPS: readonly {
  id: number;
  name: string;
  description: string | null;
  rootRole: number | null;
  members: readonly PersonKey[];
  roles: readonly { role: number; project: string }[];
  created: number;
}[] = [
  {
    id: 1,
    name: 'Mobile crew',
    description: 'All people who ship the apps',
    rootRole: null,
    members: ['groupMember', 'expired'],
    roles: [
      { role: ROLE.member, project: 'mobile' },
      { role: ROLE.member, project: 'default' },
    ],
    created: -86,
  },
  {
    id: 2,
    name: 'Platform',
    description: null,
    rootRole: ROLE.admin,
    members: ['groupAdmin'],
    roles: [],
    created: -85,
  },
  {
    id: 3,
    name: 'Night shift',
    description: 'No members yet',
    rootRole: null,
    members: [],
    roles: [{ role: ROLE.member, project: 'warehouse' }],
    created: -30,
  },
];

/** Authors of changes in each project, besides the feature's creator. */
export const TEAMS: Readonly<Record<string, readonly [PersonKey, ...PersonKey[]]>> = {
  default: ['editor', 'rootAdmin', 'groupMember', 'customRoot'],
  'web-shop': ['owner', 'member', 'owner', 'wildcard'],
  mobile: ['member', 'groupMember', 'groupMember', 'groupAdmin'],
  payments: ['owner', 'owner', 'wildcard', 'serviceAccount'],
  warehouse: ['editor', 'wildcard', 'serviceAccount'],
  'legacy-portal': ['rootAdmin', 'editor'],
  lab: ['approver'],
};

const BY_KEY = new Map(PEOPLE.map((member) => [member.key, member]));

export const personOf = (key: PersonKey): Person => {
  const found = BY_KEY.get(key);
  if (!found) throw new Error(`The demo world has no user ${key}`);
  return found;
};

/** Author of an event: a user, an admin token, Unleash itself, or an old migration. */
export type Author = PersonKey | 'adminToken' | 'system' | 'migration';

export const authorOf = (author: Author) => {
  if (author === 'adminToken')
    return { createdBy: 'demo-admin', createdByUserId: -42, ip: '203.0.113.7' };
  if (author === 'system')
    return { createdBy: 'unleash_system_user', createdByUserId: -1337, ip: null };
  if (author === 'migration') return { createdBy: 'migration', createdByUserId: null, ip: null };

  const { id, email, username } = personOf(author);
  return {
    createdBy: email ?? username ?? 'unleash_system_user',
    createdByUserId: id,
    ip: `198.51.100.${id}`,
  };
};
