import { type Chance, createChance } from './chance.js';
import { makeCallers } from './make-callers.js';
import { makePeople } from './make-people.js';
import type { Delivery, Project, Source, SourceKind, World, WorldEvent } from './world.js';

const BASE_ENVIRONMENTS = ['development', 'production'] as const;
const ADDED_ENVIRONMENTS = ['staging', 'qa-eu'] as const;

const SOURCE_KINDS: readonly SourceKind[] = [
  'plain',
  'development',
  'both',
  'disabled',
  'added',
  'variants',
  'mixed',
  'unlinked',
  'planned',
];

const USERS = 9;
const EVENTS_PER_PROJECT = 6;
/** Size of the ID range of one world, larger than any ID of a new installation. */
const ID_STEP = 100_000;

const makeProjects = (chance: Chance, label: string, hasPrivate: boolean): Project[] => {
  const environments = () => [
    ...BASE_ENVIRONMENTS,
    ...chance.some(ADDED_ENVIRONMENTS, 0, ADDED_ENVIRONMENTS.length),
  ];
  const make = (id: string, mode: Project['mode'], isArchived = false): Project => ({
    id,
    mode,
    isArchived,
    environments: environments(),
  });
  const open = () => chance.pick([null, 'open', 'protected'] as const);
  const maybePrivate = (share: number) =>
    hasPrivate && chance.percent(share) ? 'private' : open();
  return [
    make('default', maybePrivate(25)),
    make(`${label}-open`, open()),
    make(`${label}-private`, hasPrivate ? 'private' : open()),
    make(`${label}-other`, maybePrivate(40)),
    make(`${label}-archived`, maybePrivate(40), true),
  ];
};

/** Sources of every kind in every project, including a missing one: features have no foreign key to projects. */
const makeSources = (projects: readonly string[], label: string): Source[] =>
  projects.flatMap((project) =>
    SOURCE_KINDS.map((kind) => ({ name: `${label}.${project}.${kind}`, project, kind })),
  );

const makeEvents = (projectIds: readonly (string | null)[], firstId: number): WorldEvent[] =>
  projectIds.flatMap((project, projectIndex) =>
    Array.from({ length: EVENTS_PER_PROJECT }, (_, index) => ({
      id: firstId + projectIndex * EVENTS_PER_PROJECT + index,
      type: project === null ? 'user-created' : 'feature-created',
      project,
    })),
  );

/**
 * A world determined by the seed and its index. Every fourth world has no private project, so no user is limited there.
 */
export const makeWorld = (seed: number, index: number, sharesNames: boolean): World => {
  const chance = createChance(seed * 1_000 + index);
  const label = `w${index}`;
  const firstId = ID_STEP * (index + 1);
  const projects = makeProjects(chance, label, index % 4 !== 3);
  const missingProject = `${label}-gone`;
  const environments = [...ADDED_ENVIRONMENTS];
  const ids = projects.map(({ id }) => id);
  const { roles, groups, users } = makePeople(
    chance,
    {
      projects: ids,
      missingProject,
      environments: [...BASE_ENVIRONMENTS, ...environments],
      sharesNames,
    },
    { firstId, count: USERS },
  );
  const callers = makeCallers(chance, `permissions-${seed}-${index}`, users);
  const projectIds = [...ids, missingProject, null];
  return {
    label,
    projects,
    environments,
    roles,
    groups,
    users: [...new Set([...users, ...callers.flatMap(({ user }) => user ?? [])])],
    callers,
    sources: makeSources([...ids, missingProject], label),
    events: makeEvents(projectIds, firstId),
    deliveries: projectIds.map(
      (project, projectIndex): Delivery => ({ id: firstId + ID_STEP / 2 + projectIndex, project }),
    ),
    authorId: firstId - 1,
    missingProject,
  };
};
