/** A role as stored. Since 7.x, roles of different types may share a name. */
export type RoleName = { name: string; type: RoleType };
export type RoleType = 'root' | 'project' | 'custom' | 'root-custom';

export type Permission = readonly [name: string, environment: string | null];

export type CustomRole = RoleName & { permissions: readonly Permission[] };

export type RoleAssignment = { role: RoleName; project: string };

export type Group = { name: string; rootRole: RoleName | null; roles: readonly RoleAssignment[] };

export type User = {
  id: number;
  isService: boolean;
  isDeleted: boolean;
  roles: readonly RoleAssignment[];
  groups: readonly Group[];
};

export type Project = {
  id: string;
  /** Null: no row in project_settings, which means open. */
  mode: 'open' | 'protected' | 'private' | null;
  isArchived: boolean;
  /** Environments linked to it. */
  environments: readonly string[];
};

export type Credential =
  | { kind: 'none' }
  | { kind: 'unknown'; header: string }
  | { kind: 'api'; secret: string; type: string; isExpired: boolean }
  | { kind: 'personal'; secret: string; isExpired: boolean }
  | { kind: 'session'; sid: string; isExpired: boolean; isSigned: boolean; hasUser: boolean };

export type Caller = {
  name: string;
  credential: Credential;
  /** Null if the credential belongs to no user. */
  user: User | null;
};

/** What the environments of a source contain: strategies, disabled ones, variants, or nothing. */
export type SourceKind =
  | 'plain'
  | 'development'
  | 'both'
  | 'disabled'
  | 'added'
  | 'variants'
  | 'mixed'
  | 'unlinked'
  | 'planned';

export type Source = { name: string; project: string; kind: SourceKind };

/** An event of the world. Responses are compared by its ID. */
export type WorldEvent = { id: number; type: string; project: string | null };

export type Delivery = { id: number; project: string | null };

export type World = {
  label: string;
  projects: readonly Project[];
  /** Environments in addition to those that every version has. */
  environments: readonly string[];
  roles: readonly CustomRole[];
  groups: readonly Group[];
  users: readonly User[];
  callers: readonly Caller[];
  sources: readonly Source[];
  events: readonly WorldEvent[];
  deliveries: readonly Delivery[];
  /** Author of all events of the world. */
  authorId: number;
  /** ID of a deleted project; some events still refer to it. */
  missingProject: string;
};

export const ROOT_ROLES = {
  admin: { name: 'Admin', type: 'root' },
  editor: { name: 'Editor', type: 'root' },
  viewer: { name: 'Viewer', type: 'root' },
} as const satisfies Record<string, RoleName>;

export const PROJECT_ROLES = {
  owner: { name: 'Owner', type: 'project' },
  member: { name: 'Member', type: 'project' },
} as const satisfies Record<string, RoleName>;

export const isSameRole = (a: RoleName, b: RoleName): boolean =>
  a.name === b.name && a.type === b.type;
