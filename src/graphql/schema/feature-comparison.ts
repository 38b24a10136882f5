import { COMPARE_COST, REPLAY_COST } from '../../domain/cost.js';
import { compareFeature } from '../../domain/features/compare/compare-feature.js';
import type { Comparison } from '../../domain/features/compare/compare-snapshots.js';
import { builder } from '../builder.js';
import { assertTimestamp } from '../date-time.js';
import { EventChange } from './event-change.js';
import { Feature } from './feature.js';

const FeatureComparison = builder.objectRef<Comparison>('FeatureComparison').implement({
  description: 'How a feature differs between two timestamps or two environments.',
  fields: (t) => ({
    changes: t.field({
      type: [EventChange],
      description:
        'Differences from the first state to the second, such as `environments[name=production].enabled`. Empty if nothing differs in what is known.',
      resolve: ({ changes }) => [...changes],
    }),
    unknown: t.stringList({
      description:
        'Paths that were not compared because they are unknown in one of the states. A path that ends in `[]` is the order of a list; the empty path is the whole feature.',
      resolve: ({ unknown }) => [...unknown],
    }),
  }),
});

builder.prismaObjectField(Feature, 'compare', (t) =>
  t.field({
    type: FeatureComparison,
    description:
      'How this feature changed between two timestamps, according to the event log. Without `to`, the second state is the current one in the database.',
    complexity: 2 * REPLAY_COST,
    args: {
      from: t.arg({
        type: 'DateTime',
        required: true,
        description: 'First timestamp, inclusive. Must not be in the future.',
      }),
      to: t.arg({
        type: 'DateTime',
        description: 'Second timestamp, inclusive. Default: now.',
      }),
    },
    resolve: (feature, { from, to }, { loaders, pages }) => {
      assertTimestamp('from', from);
      if (to) assertTimestamp('to', to);
      return compareFeature(loaders, pages.featureAsOf, feature, { from, to: to ?? null });
    },
  }),
);

builder.prismaObjectField(Feature, 'compareEnvironments', (t) =>
  t.field({
    type: FeatureComparison,
    description:
      'How this feature differs between two environments now. Strategies are paired by content, then by type and title, then by type; paths contain the IDs of those in the first environment.',
    complexity: COMPARE_COST,
    args: {
      fromName: t.arg.string({
        required: true,
        description: 'Name of the first environment, such as `development`.',
      }),
      toName: t.arg.string({
        required: true,
        description: 'Name of the second environment, such as `production`.',
      }),
    },
    resolve: ({ name }, { fromName, toName }, { pages }) =>
      pages.environmentComparisonOf.load({ name, from: fromName, to: toName }),
  }),
);
