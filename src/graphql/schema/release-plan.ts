import type {
  PlannedMilestone,
  PlanWithMilestones,
} from '../../domain/features/planned-changes.js';
import { builder } from '../builder.js';
import { FeatureEnvironment } from './feature-environment.js';
import { Strategy } from './strategy.js';

const ReleasePlan = builder.objectRef<PlanWithMilestones>('ReleasePlan');

const ReleaseMilestone = builder.objectRef<PlannedMilestone>('ReleaseMilestone').implement({
  description: 'A step of a release plan. Its strategies apply once it has started.',
  fields: (t) => ({
    id: t.id({ description: 'Milestone ID.', resolve: ({ milestone }) => milestone.id }),
    name: t.string({ description: 'Milestone name.', resolve: ({ milestone }) => milestone.name }),
    sortOrder: t.int({
      description: 'Position in the release plan, ascending.',
      resolve: ({ milestone }) => milestone.sortOrder,
    }),
    active: t.boolean({
      description: 'Whether it is the milestone that the release plan has reached.',
      resolve: ({ milestone, plan }) => plan.activeMilestoneId === milestone.id,
    }),
    releasePlan: t.field({
      type: ReleasePlan,
      description: 'Release plan it belongs to.',
      resolve: ({ plan }) => plan,
    }),
  }),
});

const milestonesOf = (plan: PlanWithMilestones): PlannedMilestone[] =>
  plan.milestones.map((milestone) => ({ milestone, plan }));

ReleasePlan.implement({
  description:
    'A plan to release a feature in an environment, milestone by milestone. A part of Unleash Enterprise.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Release plan ID.' }),
    name: t.exposeString('name', { description: 'Release plan name.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Free-text description.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was added to the feature.',
    }),
    milestones: t.field({
      type: [ReleaseMilestone],
      description: 'Milestones in order.',
      resolve: milestonesOf,
    }),
    activeMilestone: t.field({
      type: ReleaseMilestone,
      nullable: true,
      description: 'Milestone that the plan has reached. Null if none has started.',
      resolve: (plan) =>
        milestonesOf(plan).find(({ milestone }) => milestone.id === plan.activeMilestoneId) ?? null,
    }),
  }),
});

builder.objectField(FeatureEnvironment, 'releasePlans', (t) =>
  t.field({
    type: [ReleasePlan],
    nullable: true,
    description:
      'Release plans of the feature in this environment, oldest first. Empty without Unleash Enterprise; null if the database user may not read them.',
    resolve: async ({ featureName, environmentName }, _args, { pages }) =>
      (await pages.releasePlansOf.load(featureName)).filter(
        (plan) => plan.environmentName === environmentName,
      ),
  }),
);

builder.objectField(Strategy, 'milestone', (t) =>
  t.field({
    type: ReleaseMilestone,
    nullable: true,
    description:
      'Milestone of a release plan that added the strategy. Null for strategies of the feature itself.',
    resolve: ({ milestoneId }, _args, { pages }) =>
      milestoneId === null ? null : pages.milestone.load(milestoneId),
  }),
);
