import { clonePath } from '../request.js';
import type { Chance } from './chance.js';
import type { Source, World } from './world.js';
import { INTEGRATION_ID } from './write-world.js';

export type SearchFilter = {
  createdBy?: number;
  type?: string;
  projects?: readonly string[];
  feature?: string;
  query?: string;
};

/** One operation of a caller. The name of a clone is added when the operation runs. */
export type Operation =
  | { kind: 'search events'; filter: SearchFilter }
  | { kind: 'health report'; project: string }
  | { kind: 'integration events' }
  | {
      kind: 'clone';
      target: string;
      source: Pick<Source, 'name' | 'kind'> & { project: string | null };
    };

export type Clone = Extract<Operation, { kind: 'clone' }>;

const CLONES_PER_CALLER = 10;

const search = (filter: SearchFilter = {}): Operation => ({ kind: 'search events', filter });

/** Reads, the same for every caller: events with and without a project, and every project. */
const listReads = ({ projects, missingProject, authorId }: World): Operation[] => {
  const ids = projects.map(({ id }) => id);
  const [first = '', open = '', privateProject = '', other = '', archived = ''] = ids;
  const own = { createdBy: authorId };
  return [
    search(),
    search(own),
    search({ ...own, type: 'user-created' }),
    search({ ...own, projects: [first] }),
    search({ ...own, projects: [privateProject] }),
    search({ ...own, projects: [open, privateProject] }),
    // Unleash loses the operator when it drops the first of several projects.
    search({ ...own, projects: [privateProject, open] }),
    search({ ...own, projects: [privateProject, other, archived] }),
    search({ ...own, projects: [missingProject] }),
    search({ ...own, feature: `flag-of-${privateProject}` }),
    search({ ...own, query: `of ${privateProject}` }),
    ...[...ids, missingProject].map((project): Operation => ({ kind: 'health report', project })),
    { kind: 'integration events' },
  ];
};

const chooseClone = (
  chance: Chance,
  { projects, sources, missingProject, label }: World,
): Clone => {
  const [first = '', open = '', privateProject = '', other = '', archived = ''] = projects.map(
    ({ id }) => id,
  );
  const target = chance.weighted([
    [45, first],
    [15, open],
    [15, privateProject],
    [15, other],
    [5, archived],
    [5, missingProject],
  ]);
  if (chance.percent(4)) {
    return {
      kind: 'clone',
      target,
      source: { name: `${label}.ghost`, kind: 'plain', project: null },
    };
  }
  const isLocal = chance.percent(75);
  const near = sources.filter(({ project }) => (project === target) === isLocal);
  const [source] = chance.some(near, 1, 1);
  if (!source) throw new Error(`${target} has no source to clone`);
  return { kind: 'clone', target, source };
};

/** The operations of one caller in a world: all reads and a random sample of clones. */
export const chooseOperations = (
  chance: Chance,
  world: World,
): { reads: Operation[]; clones: Clone[] } => ({
  reads: listReads(world),
  clones: Array.from({ length: CLONES_PER_CALLER }, () => chooseClone(chance, world)),
});

const searchPath = ({ createdBy, type, projects, feature, query }: SearchFilter): string => {
  const params = new URLSearchParams({
    ...(createdBy !== undefined && { createdBy: `IS:${createdBy}` }),
    ...(type !== undefined && { type: `IS:${type}` }),
    ...(projects && { project: `IS_ANY_OF:${projects.join(',')}` }),
    ...(feature !== undefined && { feature: `IS:${feature}` }),
    ...(query !== undefined && { query }),
    limit: '1000',
  });
  return `/api/admin/search/events?${params}`;
};

export const pathOf = (operation: Operation): string => {
  switch (operation.kind) {
    case 'search events':
      return searchPath(operation.filter);
    case 'health report':
      return `/api/admin/projects/${encodeURIComponent(operation.project)}/health-report`;
    case 'integration events':
      return `/api/admin/addons/${INTEGRATION_ID}/events?limit=50`;
    case 'clone':
      return clonePath(operation.target, operation.source.name);
  }
};

export const describe = (operation: Operation): string =>
  operation.kind === 'clone'
    ? `clone ${operation.source.name} (${operation.source.kind}, in ${operation.source.project}) into ${operation.target}`
    : `GET ${decodeURIComponent(pathOf(operation))}`;
