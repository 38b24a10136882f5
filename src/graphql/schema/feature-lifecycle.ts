import {
  currentStage,
  inOrderOfEntry,
  type LifecycleOutcome as Outcome,
  outcomeOf,
} from '../../domain/features/lifecycle.js';
import type { Loaders } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { LifecycleStage, stageOf } from './lifecycle-stage.js';

type StageRow = Awaited<ReturnType<Loaders['lifecycleOfFeature']['load']>>[number];

const LifecycleStageEntry = builder.objectRef<StageRow>('LifecycleStageEntry').implement({
  description: 'A lifecycle stage that a feature entered.',
  fields: (t) => ({
    stage: t.field({
      type: LifecycleStage,
      description: 'The stage.',
      resolve: ({ stage }) => stageOf(stage),
    }),
    stageName: t.exposeString('stage', {
      description: 'Stage as Unleash stores it, such as `pre-live`.',
    }),
    enteredAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the feature entered the stage. Null if not recorded.',
    }),
  }),
});

const LifecycleOutcomeKind = builder.enumType('LifecycleOutcomeKind', {
  description: 'What was decided when a feature was completed.',
  values: {
    KEPT: { description: 'The functionality stays; only the feature flag can be removed.' },
    DISCARDED: { description: 'The functionality is removed together with the feature flag.' },
    OTHER: { description: 'An outcome unknown to this version; see `kindName`.' },
  },
} as const);

const OUTCOMES: Readonly<Record<string, 'KEPT' | 'DISCARDED'>> = {
  kept: 'KEPT',
  discarded: 'DISCARDED',
};

const LifecycleOutcome = builder.objectRef<Outcome>('LifecycleOutcome').implement({
  description: 'Outcome of a completed feature.',
  fields: (t) => ({
    kind: t.field({
      type: LifecycleOutcomeKind,
      description: 'Whether the functionality was kept or discarded.',
      resolve: ({ status }) => OUTCOMES[status] ?? 'OTHER',
    }),
    kindName: t.exposeString('status', {
      description: 'Outcome as Unleash stores it, such as `kept`.',
    }),
    variantName: t.exposeString('variantName', {
      nullable: true,
      description: 'Name of the variant that was kept. Null if none was named.',
    }),
  }),
});

export type Lifecycle = { stages: readonly StageRow[]; current: StageRow };

/** Null until Unleash records a stage. */
export const lifecycleOf = (stages: readonly StageRow[]): Lifecycle | null => {
  const current = currentStage(stages);
  return current && { stages, current };
};

export const FeatureLifecycle = builder.objectRef<Lifecycle>('FeatureLifecycle').implement({
  description: 'Lifecycle of a feature: its current stage, and how it got there.',
  fields: (t) => ({
    stage: t.field({
      type: LifecycleStage,
      description: 'Current stage.',
      resolve: ({ current }) => stageOf(current.stage),
    }),
    stageName: t.string({
      description: 'Current stage as Unleash stores it, such as `pre-live`.',
      resolve: ({ current }) => current.stage,
    }),
    enteredStageAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the feature entered its current stage. Null if not recorded.',
      resolve: ({ current }) => current.createdAt,
    }),
    stages: t.field({
      type: [LifecycleStageEntry],
      description:
        'All stages that the feature entered, oldest first. The last one is the current stage.',
      resolve: ({ stages }) => inOrderOfEntry(stages),
    }),
    outcome: t.field({
      type: LifecycleOutcome,
      nullable: true,
      description: 'Outcome chosen when the feature was completed. Null if it was not.',
      resolve: ({ stages }) => outcomeOf(stages),
    }),
  }),
});
