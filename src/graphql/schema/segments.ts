import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import {
  type SegmentPlace,
  type Segment as SegmentRow,
  segmentPlaceOf,
} from '../../domain/segments/list-segments.js';
import {
  type StrategyPlace,
  strategyPlaceOf,
} from '../../domain/segments/list-strategies-of-segments.js';
import { builder } from '../builder.js';
import { type CursorKey, connectionTypes, pageArgs, pageCost, parsePage } from '../connection.js';
import { Feature } from './feature.js';
import { nonNull } from './filters.js';
import { searchArg, searchListCost } from './search-arg.js';
import { Segment } from './segment.js';
import { Strategy, type StrategyRow } from './strategy.js';

/** Encoded as `id,name`: an ID contains no comma. */
const SEGMENT_KEY: CursorKey<SegmentRow, SegmentPlace> = {
  kind: 'segments',
  keyOf: segmentPlaceOf,
  parse: (text) => {
    const [, id, name] = /^(\d{1,10}),(.*)$/s.exec(text) ?? [];
    return id === undefined || name === undefined || Number(id) >= 2 ** 31
      ? null
      : [Number(id), name];
  },
};

const segmentTypes = connectionTypes(Segment, {
  name: 'Segment',
  description: 'A page of segments, ordered by name.',
  edgeDescription: 'A segment and its cursor.',
});

builder.queryField('segments', (t) =>
  t.field({
    type: segmentTypes.Connection,
    description:
      'Segments, ordered by name. Those of a project are listed only if you may see the project.',
    complexity: searchListCost,
    args: {
      ...pageArgs(t, MAX_LIST_LIMIT),
      search: t.arg(searchArg('the name or description', 'beta')),
    },
    resolve: async (_root, { search, ...args }, { actor, operations }) => {
      const query = { search: nonNull(search) };
      const { page, toConnection } = parsePage(args, {
        key: SEGMENT_KEY,
        filter: query,
        max: MAX_LIST_LIMIT,
      });
      return {
        ...toConnection(await operations.listSegments(actor, { ...query, page })),
        countTotal: (upTo?: number) => operations.countSegments(actor, { ...query, upTo }),
      };
    },
  }),
);

/** Encoded as `featureName,id`: neither contains a comma. */
const STRATEGY_KEY: CursorKey<StrategyRow, StrategyPlace> = {
  kind: 'strategies',
  keyOf: strategyPlaceOf,
  parse: (text) => {
    const [, featureName, id] = /^(.*),([^,]*)$/s.exec(text) ?? [];
    return featureName === undefined || id === undefined ? null : [featureName, id];
  },
};

const strategyTypes = connectionTypes(Strategy, {
  name: 'Strategy',
  description: 'A page of strategies, ordered by feature name.',
  edgeDescription: 'A strategy and its cursor.',
});

builder.prismaObjectField(Segment, 'strategies', (t) =>
  t.field({
    type: strategyTypes.Connection,
    description:
      'Strategies that use this segment, ordered by feature name. Includes those of archived features and of release plans; omits those of features that you may not see.',
    complexity: pageCost,
    args: pageArgs(t, MAX_LIST_LIMIT),
    resolve: async ({ id }, args, { pages }) => {
      const { page, toConnection } = parsePage(args, {
        key: STRATEGY_KEY,
        filter: id,
        max: MAX_LIST_LIMIT,
      });
      return {
        ...toConnection(await pages.strategiesOfSegment({ page }, id)),
        countTotal: (upTo?: number) => pages.countStrategiesOfSegment({ upTo }, id),
      };
    },
  }),
);

builder.objectField(Strategy, 'feature', (t) =>
  t.field({
    type: Feature,
    nullable: true,
    description: 'The feature it belongs to.',
    resolve: ({ featureName }, _args, { loaders }) => loaders.feature.load(featureName),
  }),
);
