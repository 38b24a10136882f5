import { NoAccessError } from './errors.js';

/** A permission somebody holds; `null` stands for any project or any environment. */
export type Grant = {
  readonly permission: string;
  readonly project: string | null;
  readonly environment: string | null;
};

export type ActorKind = 'ADMIN_TOKEN' | 'OTHER_TOKEN' | 'USER' | 'SERVICE_ACCOUNT';

export type Scope = { project?: string; environment?: string };

/** The numeric author of everything done with an admin API token. */
export const ADMIN_TOKEN_USER_ID = -42;
export const SYSTEM_USER_ID = -1337;

const ADMIN = 'ADMIN';

const covers = (held: string | null, wanted: string | undefined) =>
  held === null || held === '*' || held === wanted;

type ActorFacts = {
  kind: ActorKind;
  userId: number;
  /** What events name as their author: e-mail, user name or token name. */
  author: string;
  name: string | null;
  grants: readonly Grant[];
  /** Root administrators also see events that belong to no project. */
  seesAllEvents: boolean;
  /** Where the call came from, for the event log. */
  ip: string | null;
};

/** All that a token tells of who calls with it. */
export type TokenHolder = Omit<ActorFacts, 'ip'>;

/** Who calls, and what the database allows him. */
export class Actor implements Readonly<ActorFacts> {
  readonly kind;
  readonly userId;
  readonly author;
  readonly name;
  readonly grants;
  readonly seesAllEvents;
  readonly ip;

  constructor(facts: ActorFacts) {
    this.kind = facts.kind;
    this.userId = facts.userId;
    this.author = facts.author;
    this.name = facts.name;
    this.grants = facts.grants;
    this.seesAllEvents = facts.seesAllEvents;
    this.ip = facts.ip;
  }

  /** The same for all who may see and do the same and are told the same, wherever they call from. */
  get identity(): string {
    const { ip: _ip, ...facts } = this;
    return JSON.stringify(facts);
  }

  can(permission: string, scope: Scope = {}): boolean {
    return this.grants.some(
      (grant) =>
        (grant.permission === permission || grant.permission === ADMIN) &&
        covers(grant.project, scope.project) &&
        covers(grant.environment, scope.environment),
    );
  }

  /** Throws NoAccessError naming the permission, the project and the environment that are missing. */
  require(permission: string, scope: Scope = {}): void {
    if (!this.can(permission, scope)) throw NoAccessError.missing(permission, scope);
  }
}
