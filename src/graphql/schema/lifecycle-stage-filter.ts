import { builder } from '../builder.js';
import { exampleOf } from '../input-examples.js';
import { readChoice } from './filters.js';
import { LIFECYCLE_STAGES, LifecycleStage } from './lifecycle-stage.js';

export const LifecycleStageFilter = builder.inputType('LifecycleStageFilter', {
  description: `Filters by current lifecycle stage. All given conditions must match. ${exampleOf('LifecycleStageFilter')}`,
  fields: (t) => ({
    is: t.field({ type: LifecycleStage, description: 'Equal to this stage.' }),
    anyOf: t.field({
      type: [LifecycleStage],
      description: 'Equal to one of these stages. At most 1000 values.',
    }),
    noneOf: t.field({
      type: [LifecycleStage],
      description:
        'Equal to none of these stages; also matches features without a stage. At most 1000 values.',
    }),
  }),
});

/** Stands for features without a stage. */
const NONE = '';

/** OTHER means every stored stage unknown to this gateway, so it turns the filter into an exclusion. */
export const readStageFilter = (
  field: string,
  filter: typeof LifecycleStageFilter.$inferInput | null | undefined,
): { stages?: readonly string[]; stagesOtherThan?: readonly string[] } => {
  const { among, except } = readChoice(field, filter);
  if (!among && !except) return {};

  const passes = (stage: typeof LifecycleStage.$inferType) =>
    (among?.includes(stage) ?? true) && !except?.includes(stage);
  const stored = (wanted: boolean) =>
    (Object.keys(LIFECYCLE_STAGES) as (keyof typeof LIFECYCLE_STAGES)[])
      .filter((stage) => passes(stage) === wanted)
      .map((stage) => LIFECYCLE_STAGES[stage]);
  const isNoneWanted = !among;
  const none = (wanted: boolean) => (isNoneWanted === wanted ? [NONE] : []);
  return passes('OTHER')
    ? { stagesOtherThan: [...stored(false), ...none(false)] }
    : { stages: [...stored(true), ...none(true)] };
};
