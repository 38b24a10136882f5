import { asIntegers } from '../../domain/json.js';
import { builder } from '../builder.js';
import { loadSegments, Segment } from './segment.js';
import { StrategyDefinition } from './strategy-definition.js';

builder.interfaceField(StrategyDefinition, 'segments', (t) =>
  t.field({
    type: [Segment],
    nullable: true,
    description:
      'The segments in their current state, as far as they exist and you may see them. Null if unknown.',
    resolve: ({ segmentIds, segments }, _args, { loaders }) => {
      const ids = segmentIds === undefined ? segments : segmentIds;
      return ids === null ? null : loadSegments(asIntegers(ids), loaders);
    },
  }),
);
