import { PROJECT_FEATURES_COST } from '../../domain/cost.js';
import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import type { CleanUpTally } from '../../domain/projects/clean-up/count-clean-up.js';
import {
  type CleanUpCandidate as Candidate,
  type CleanUpCriteria,
  type CleanUpPlace,
  placeOf,
} from '../../domain/projects/clean-up/list-clean-up.js';
import {
  DEFAULT_NOT_SEEN_DAYS,
  MAX_NOT_SEEN_DAYS,
} from '../../domain/projects/clean-up/not-seen-for-days.js';
import { builder } from '../builder.js';
import {
  type CursorKey,
  connectionTypes,
  listCost,
  type PageArgs,
  pageArgs,
  parsePage,
} from '../connection.js';
import { type CleanUpOrderInput, orderArg, readCleanUpOrder } from './clean-up-order.js';
import { CleanUpKind, CleanUpReason } from './clean-up-reason.js';
import { Feature } from './feature.js';
import { chosenTexts, defined, readChoice, StringFilter } from './filters.js';
import { ProjectHealth } from './project.js';

const CleanUpCandidate = builder.objectRef<Candidate>('CleanUpCandidate').implement({
  description: 'A feature that could be removed, with the reasons.',
  fields: (t) => ({
    feature: t.field({
      type: Feature,
      description: 'The feature. Never an archived one.',
      resolve: ({ feature }) => feature,
    }),
    weight: t.exposeInt('weight', {
      description:
        'Sum of the weights of all reasons: STALE 16, COMPLETED 8, FULLY_ROLLED_OUT 4, NOT_SEEN 2, POTENTIALLY_STALE 1.',
    }),
    reasons: t.field({
      type: [CleanUpReason],
      description: 'Reasons to remove the feature, most important first. Never empty.',
      resolve: ({ reasons }) => [...reasons],
    }),
  }),
});

const CleanUpKindFilter = builder.inputType('CleanUpKindFilter', {
  description: 'Filters features by reason. All given conditions must match.',
  fields: (t) => ({
    is: t.field({ type: CleanUpKind, description: 'The feature has this reason.' }),
    anyOf: t.field({
      type: [CleanUpKind],
      description: 'The feature has at least one of these reasons. At most 1000 values.',
    }),
  }),
});

const CleanUpFilter = builder.inputType('CleanUpFilter', {
  description: 'Filters features to clean up. All given conditions must match.',
  fields: (t) => ({
    kind: t.field({ type: CleanUpKindFilter, description: 'Reason to remove the feature.' }),
    name: t.field({
      type: StringFilter,
      description: 'Feature name, such as `checkout-one-page`.',
    }),
    projectId: t.field({ type: StringFilter, description: 'Project ID, such as `default`.' }),
    type: t.field({ type: StringFilter, description: 'Feature type.' }),
  }),
});

const readCleanUpFilter = (
  filter: typeof CleanUpFilter.$inferInput | null | undefined,
): CleanUpCriteria => ({
  ...defined({ kinds: readChoice('filter.kind', filter?.kind).among }),
  ...chosenTexts({
    names: ['filter.name', filter?.name],
    projects: ['filter.projectId', filter?.projectId],
    types: ['filter.type', filter?.type],
  }),
});

/** Encoded as `weight,created,name`; the name comes last because it can contain commas. */
const CLEAN_UP_KEY: CursorKey<Candidate, CleanUpPlace> = {
  kind: 'clean-up',
  keyOf: placeOf,
  parse: (text) => {
    const [, weight, created, name] = /^(\d{1,3}),(-?\d{1,16}),(.+)$/s.exec(text) ?? [];
    return name === undefined ? null : [Number(weight), Number(created), name];
  },
};

const { Connection } = connectionTypes(CleanUpCandidate, {
  name: 'CleanUp',
  description: 'A page of features to clean up.',
  edgeDescription: 'A feature to clean up and its cursor.',
});

const CleanUpCount = builder.objectRef<CleanUpTally['counts'][number]>('CleanUpCount').implement({
  description: 'Number of features with one kind of reason.',
  fields: (t) => ({
    kind: t.expose('kind', { type: CleanUpKind, description: 'Kind of reason.' }),
    count: t.exposeInt('count', { description: 'Exact number of features with this reason.' }),
  }),
});

/** A page of all projects evaluates every feature. */
const ALL_COST = 1_000;
const COUNT_COST = 20;
/** The reasons of one feature. */
const REASONS_COST = 5;

const cleanUpCost = (ownCost: number, args: Parameters<typeof listCost>[0]) => {
  const { field, multiplier } = listCost(args);
  return { field: ownCost + field - 1, multiplier };
};

/** Counts lazily and at most once: `counts` and `totalCount` share one query. */
const counting = (tally: () => Promise<CleanUpTally>) => {
  let counted: Promise<CleanUpTally> | undefined;
  const countOnce = () => (counted ??= tally());
  return { tally: countOnce, countTotal: async () => (await countOnce()).total };
};

builder.objectField(Connection, 'counts', (t) =>
  t.field({
    type: [CleanUpCount],
    description:
      'Number of items in the whole list per kind of reason, most important first. An item can have several reasons. Computed only when selected.',
    complexity: COUNT_COST,
    resolve: async (connection) => [
      ...(await (connection as unknown as ReturnType<typeof counting>).tally()).counts,
    ],
  }),
);

const notSeenForDaysArg = {
  required: true,
  defaultValue: DEFAULT_NOT_SEEN_DAYS,
  description: `Days without use after which a feature counts as NOT_SEEN. From 1 to ${MAX_NOT_SEEN_DAYS}.`,
} as const;

builder.prismaObjectField(Feature, 'cleanUpReasons', (t) =>
  t.field({
    type: [CleanUpReason],
    description:
      'Reasons to remove the feature, most important first. Empty if there is none, and for archived features.',
    complexity: REASONS_COST,
    args: { notSeenForDays: t.arg.int(notSeenForDaysArg) },
    resolve: async ({ name }, args, { pages }) => [...(await pages.cleanUpReasonsOf(args, name))],
  }),
);

const readCleanUpPage = (
  { orderBy, ...args }: PageArgs & { orderBy?: CleanUpOrderInput },
  criteria: CleanUpCriteria,
  owner: string | null,
) => {
  const { order, mark } = readCleanUpOrder(orderBy);
  const filter = [owner, criteria, ...mark];
  const { page, toConnection } = parsePage(args, {
    key: CLEAN_UP_KEY,
    filter,
    max: MAX_LIST_LIMIT,
  });
  return { query: { criteria, order, page }, toConnection };
};

const filterArg = {
  type: CleanUpFilter,
  description:
    'Filters the features. If omitted, returns all features with a reason to be removed.',
};

builder.queryField('cleanUp', (t) =>
  t.field({
    type: Connection,
    description:
      'Features to clean up in all projects. Excludes features of archived projects; query those projects directly.',
    complexity: (args) => cleanUpCost(ALL_COST, args),
    args: {
      ...pageArgs(t, MAX_LIST_LIMIT),
      filter: t.arg(filterArg),
      orderBy: t.arg(orderArg),
      notSeenForDays: t.arg.int(notSeenForDaysArg),
    },
    resolve: async (_root, { filter, notSeenForDays, ...args }, { actor, operations }) => {
      const criteria = { ...readCleanUpFilter(filter), notSeenForDays };
      const { query, toConnection } = readCleanUpPage(args, criteria, null);
      return {
        ...toConnection(await operations.listCleanUp(actor, query)),
        ...counting(() => operations.countCleanUp(actor, { criteria })),
      };
    },
  }),
);

builder.objectField(ProjectHealth, 'cleanUp', (t) =>
  t.field({
    type: Connection,
    description: 'Features to clean up in this project.',
    complexity: (args) => cleanUpCost(PROJECT_FEATURES_COST, args),
    args: {
      ...pageArgs(t, MAX_LIST_LIMIT),
      filter: t.arg(filterArg),
      orderBy: t.arg(orderArg),
      notSeenForDays: t.arg.int(notSeenForDaysArg),
    },
    resolve: async ({ id }, { filter, notSeenForDays, ...args }, { pages }) => {
      const criteria = { ...readCleanUpFilter(filter), notSeenForDays };
      const { query, toConnection } = readCleanUpPage(args, criteria, id);
      return {
        ...toConnection(await pages.cleanUpOf(query, id)),
        ...counting(() => pages.countCleanUpOf({ criteria }, id)),
      };
    },
  }),
);
