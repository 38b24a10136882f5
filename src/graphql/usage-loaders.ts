import type { Actor } from '../domain/actor.js';
import type {
  ChangeRequestRow,
  PlannedMilestone,
  PlanWithMilestones,
} from '../domain/features/planned-changes.js';
import type { Operations } from '../domain/operations.js';
import type { FeatureUsage, UsageArgs, VariantUsage } from '../domain/usage/list-usage-of.js';
import { loaderOf, loadersByArguments } from './argument-loaders.js';

/** Release plans and change requests, batched over features. */
export const createPlannedChangeLoaders = (operations: Operations, actor: Actor) => ({
  releasePlansOf: loaderOf<string, readonly PlanWithMilestones[]>(
    (names) => operations.listReleasePlansOf(actor, names),
    [],
  ),
  milestone: loaderOf<string, PlannedMilestone | null>(
    (ids) => operations.findMilestones(actor, ids),
    null,
  ),
  changeRequestsOf: loaderOf<string, readonly ChangeRequestRow[]>(
    (names) => operations.listChangeRequestsOf(actor, names),
    [],
  ),
});

/** Usage of features, batched over their environments. */
export const createUsageLoaders = (operations: Operations, actor: Actor) => ({
  usageOf: loadersByArguments<string, UsageArgs, FeatureUsage | null>(
    (args) => (keys) => operations.listUsageOf(actor, { ...args, keys }),
    null,
  ),
  variantUsageOf: loadersByArguments<string, UsageArgs, readonly VariantUsage[]>(
    (args) => (keys) => operations.listVariantUsageOf(actor, { ...args, keys }),
    [],
  ),
});
