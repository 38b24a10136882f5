import { builder } from '../builder.js';
import { exampleOf } from '../input-examples.js';
import { DeliveryState, toDeliveryState } from './delivery-state.js';
import { readChoice } from './filters.js';

export const DeliveryStateFilter = builder.inputType('DeliveryStateFilter', {
  description: `Filters by outcome. All given conditions must match. ${exampleOf('DeliveryStateFilter')}`,
  fields: (t) => ({
    is: t.field({ type: DeliveryState, description: 'Equal to this outcome.' }),
    anyOf: t.field({
      type: [DeliveryState],
      description: 'Equal to one of these outcomes. At most 1000 values.',
    }),
    noneOf: t.field({
      type: [DeliveryState],
      description: 'Equal to none of these outcomes. At most 1000 values.',
    }),
  }),
});

/** States as Unleash records them. */
const RECORDED = ['failed', 'success', 'successWithErrors'];

/** OTHER means every recorded state unknown to this gateway, so it turns the filter into an exclusion. */
export const readStateFilter = (
  field: string,
  filter: typeof DeliveryStateFilter.$inferInput | null | undefined,
): { states?: readonly string[]; statesOtherThan?: readonly string[] } => {
  const { among, except } = readChoice(field, filter);
  if (!among && !except) return {};

  const passes = (state: typeof DeliveryState.$inferType) =>
    (among?.includes(state) ?? true) && !except?.includes(state);
  const recorded = (wanted: boolean) =>
    RECORDED.filter((state) => passes(toDeliveryState(state)) === wanted);
  return passes('OTHER') ? { statesOtherThan: recorded(false) } : { states: recorded(true) };
};
