import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import type { CleanUpCriteria } from '../../domain/projects/clean-up/clean-up-criteria.js';
import type { CleanUpTally } from '../../domain/projects/clean-up/count-clean-up.js';
import {
  type CleanUpCandidate as Candidate,
  type CleanUpPlace,
  placeOf,
} from '../../domain/projects/clean-up/list-clean-up.js';
import { builder } from '../builder.js';
import {
  type CursorKey,
  connectionTypes,
  type PageArgs,
  pageCost,
  readPage,
} from '../connection.js';
import { CleanUpKind, CleanUpReason } from './clean-up-reason.js';
import { Feature } from './feature.js';
import { chosenValues, defined, readChoice, StringFilter } from './filters.js';
import { ProjectHealth } from './project.js';

const CleanUpCandidate = builder.objectRef<Candidate>('CleanUpCandidate').implement({
  description: 'A feature that could be removed, and why.',
  fields: (t) => ({
    feature: t.field({
      type: Feature,
      description: 'The feature; it is not archived.',
      resolve: ({ feature }) => feature,
    }),
    weight: t.exposeInt('weight', {
      description:
        'Sum of the weights of its reasons: STALE 16, COMPLETED 8, FULLY_ROLLED_OUT 4, NEVER_SEEN 2, POTENTIALLY_STALE 1.',
    }),
    reasons: t.field({
      type: [CleanUpReason],
      description: 'All that speaks for removing it, the gravest first; at least one.',
      resolve: ({ reasons }) => [...reasons],
    }),
  }),
});

const CleanUpKindFilter = builder.inputType('CleanUpKindFilter', {
  description: 'Conditions on the reasons of a feature; all that are given must hold.',
  fields: (t) => ({
    is: t.field({ type: CleanUpKind, description: 'This is one of its reasons.' }),
    anyOf: t.field({
      type: [CleanUpKind],
      description: 'At least one of these is among its reasons. At most 1000.',
    }),
  }),
});

const CleanUpFilter = builder.inputType('CleanUpFilter', {
  description: 'Which features to show; all conditions that are given must hold.',
  fields: (t) => ({
    kind: t.field({ type: CleanUpKindFilter, description: 'Why it should be removed.' }),
    project: t.field({ type: StringFilter, description: 'Id of its project.' }),
    type: t.field({ type: StringFilter, description: 'Kind of feature.' }),
  }),
});

const readCleanUpFilter = (
  filter: typeof CleanUpFilter.$inferInput | null | undefined,
): CleanUpCriteria => ({
  ...defined({ kinds: readChoice('filter.kind', filter?.kind).among }),
  ...chosenValues('projects', 'filter.project', filter?.project),
  ...chosenValues('types', 'filter.type', filter?.type),
});

/** A place is written as its three parts with commas between them; only the last, the name, may hold more of these. */
const CLEAN_UP_KEY: CursorKey<Candidate, CleanUpPlace> = {
  kind: 'clean-up',
  keyOf: placeOf,
  parse: (text) => {
    const [, weight, created, name] = /^(\d{1,3}),(-?\d{1,16}),(.+)$/s.exec(text) ?? [];
    return name === undefined ? null : [Number(weight), Number(created), name];
  },
};

const { Connection, Edge } = connectionTypes(CleanUpCandidate, {
  name: 'CleanUp',
  description:
    'A page of features to clean up: the heaviest first, then the oldest, then by name. A feature of unknown age counts as the oldest.',
  edgeDescription: 'A feature to clean up and its place in the list.',
});

const CleanUpCount = builder.objectRef<CleanUpTally['counts'][number]>('CleanUpCount').implement({
  description: 'How many features there is one kind of reason to remove.',
  fields: (t) => ({
    kind: t.expose('kind', { type: CleanUpKind, description: 'The kind of reason.' }),
    count: t.exposeInt('count', { description: 'Features that have this reason, exactly.' }),
  }),
});

/** Reading a page weighs every feature it is taken from: those of a project, or all there are. */
const PROJECT_COST = 100;
const ALL_COST = 1_000;
const COUNT_COST = 20;

/** What a list hands on to its connection type: counts, should anybody ask. */
const counting = (tally: () => Promise<CleanUpTally>) => {
  let counted: Promise<CleanUpTally> | undefined;
  const countOnce = () => (counted ??= tally());
  return { tally: countOnce, countTotal: async () => (await countOnce()).total };
};

builder.objectField(Connection, 'counts', (t) =>
  t.field({
    type: [CleanUpCount],
    description:
      'How many items of the whole list have each kind of reason, the gravest first; one may have several. Counted only when selected.',
    complexity: COUNT_COST,
    resolve: async (connection) => [
      ...(await (connection as unknown as ReturnType<typeof counting>).tally()).counts,
    ],
  }),
);

const readCleanUpPage = (args: PageArgs, criteria: CleanUpCriteria, owner: string | null) =>
  readPage(args, { key: CLEAN_UP_KEY, filter: [owner, criteria], most: MAX_LIST_LIMIT });

const filterArg = {
  type: CleanUpFilter,
  description: 'Which features; all there is any reason to remove when left out.',
};

builder.queryField('cleanUp', (t) =>
  t.connection(
    {
      type: CleanUpCandidate,
      description:
        'What to clean up in all projects, what to remove first in front. Features of archived projects are left out; ask those projects.',
      complexity: (args) => ({ ...pageCost(args), field: ALL_COST }),
      args: { filter: t.arg(filterArg) },
      resolve: async (_root, { filter, ...args }, { actor, operations }) => {
        const criteria = readCleanUpFilter(filter);
        const { page, toConnection } = readCleanUpPage(args, criteria, null);
        return {
          ...toConnection(await operations.listCleanUp(actor, { criteria, page })),
          ...counting(() => operations.countCleanUp(actor, { criteria })),
        };
      },
    },
    Connection,
    Edge,
  ),
);

builder.objectField(ProjectHealth, 'cleanUp', (t) =>
  t.connection(
    {
      type: CleanUpCandidate,
      description: 'What to clean up in this project, what to remove first in front.',
      complexity: (args) => ({ ...pageCost(args), field: PROJECT_COST }),
      args: { filter: t.arg(filterArg) },
      resolve: async ({ id }, { filter, ...args }, { pages }) => {
        const criteria = readCleanUpFilter(filter);
        const { page, toConnection } = readCleanUpPage(args, criteria, id);
        return {
          ...toConnection(await pages.cleanUpOf({ criteria, page }, id)),
          ...counting(() => pages.countCleanUpOf({ criteria }, id)),
        };
      },
    },
    Connection,
    Edge,
  ),
);
