import { NoAccessError } from './errors.js';

/** `null` means any project or any environment. */
export type Grant = {
  readonly permission: string;
  readonly project: string | null;
  readonly environment: string | null;
};

export type ActorKind = 'ADMIN_TOKEN' | 'USER' | 'SERVICE_ACCOUNT';

export type Scope = { project?: string; environment?: string };

/** User ID recorded for everything done with an admin API token. */
export const ADMIN_TOKEN_USER_ID = -42;

const ADMIN = 'ADMIN';

const covers = (granted: string | null, required: string | undefined) =>
  granted === null || granted === '*' || granted === required;

type ActorFacts = {
  kind: ActorKind;
  userId: number;
  /** Author that events record: email, username or token name. */
  author: string;
  name: string | null;
  grants: readonly Grant[];
  /** Root administrators also see events without a project. */
  seesAllEvents: boolean;
  /** IDs of visible projects, sorted; null for all. Unleash hides private projects from Viewers. */
  visibleProjects: readonly string[] | null;
  /** Token name, for the log. */
  tokenName?: string | null | undefined;
  /** Client address, for the event log. */
  ip: string | null;
};

/** The owner of a credential. */
export type Holder = Omit<ActorFacts, 'ip'>;

/** The caller and its permissions. */
export class Actor implements Readonly<ActorFacts> {
  readonly kind;
  readonly userId;
  readonly author;
  readonly name;
  readonly grants;
  readonly seesAllEvents;
  readonly visibleProjects;
  readonly tokenName;
  readonly ip;
  #identity: string | undefined;

  constructor(facts: ActorFacts) {
    this.kind = facts.kind;
    this.userId = facts.userId;
    this.author = facts.author;
    this.name = facts.name;
    this.grants = facts.grants;
    this.seesAllEvents = facts.seesAllEvents;
    this.visibleProjects = facts.visibleProjects;
    this.tokenName = facts.tokenName ?? null;
    this.ip = facts.ip;
  }

  /**
   * Key for shared reads and caches: equal for one caller with the same permissions, whatever the token and address.
   */
  get identity(): string {
    this.#identity ??= this.#describe();
    return this.#identity;
  }

  #describe(): string {
    const { ip: _ip, tokenName: _tokenName, ...facts } = this;
    return JSON.stringify(facts);
  }

  /** Objects without a project are visible only to callers that see all projects. */
  sees(projectId: string | null): boolean {
    return (
      this.visibleProjects === null ||
      (projectId !== null && this.visibleProjects.includes(projectId))
    );
  }

  can(permission: string, scope: Scope = {}): boolean {
    return this.grants.some(
      (grant) =>
        (grant.permission === permission || grant.permission === ADMIN) &&
        covers(grant.project, scope.project) &&
        covers(grant.environment, scope.environment),
    );
  }

  /** IDs of the projects in which `can` is true, sorted; null for all. */
  projectsWith(permission: string): readonly string[] | null {
    const covering = this.grants.filter(
      (grant) =>
        (grant.permission === permission || grant.permission === ADMIN) &&
        covers(grant.environment, undefined),
    );
    const projects = covering.map(({ project }) => project);
    if (projects.some((project) => covers(project, undefined))) return null;
    return [...new Set(projects.filter((project) => project !== null))].sort();
  }

  /** Throws NoAccessError naming the missing permission, project and environment. */
  require(permission: string, scope: Scope = {}): void {
    if (!this.can(permission, scope)) throw NoAccessError.missing(permission, scope);
  }
}
