import { type Clock, daysBetween } from './clock.js';
import type { FeatureSpec } from './feature-spec.js';
import { EXISTING_FEATURES } from './features.js';
import type { HistoricEvent } from './history/build-history.js';
import { createdAt } from './history/feature-simulation.js';
import { LIFETIMES } from './history/milestones.js';
import { PROJECT_GRANTS } from './people.js';

/** Statistics that Unleash's hourly and daily jobs would have written for a project. */

const isArchived = (feature: FeatureSpec) =>
  feature.archived !== undefined && feature.revived === undefined;

const share = (part: number, whole: number) => (whole === 0 ? 0 : (100 * part) / whole);

export const healthOf = (project: string, clock: Clock): number => {
  const features = EXISTING_FEATURES.filter((f) => f.project === project && !isArchived(f));
  const stale = features.filter((feature) => feature.stale !== undefined).length;
  const aged = features.filter((feature) => {
    const lifetime = LIFETIMES[feature.type];
    const age = daysBetween(createdAt(feature, clock), clock.today);
    return feature.stale === undefined && lifetime !== undefined && age >= lifetime;
  }).length;
  return Math.round(100 - share(stale, features.length) - share(aged, features.length));
};

const inWindow = (day: number | undefined, from: number, to: number) =>
  day !== undefined && day >= from && day < to;

/** Mean number of whole days from creation until release features are enabled in production. */
const timeToProduction = (features: readonly FeatureSpec[]): number => {
  const released = features.filter(
    ({ type, environments }) => type === 'release' && environments['production']?.enabled,
  );
  if (released.length === 0) return 0;

  const days = released.reduce((sum, f) => sum + (f.environments['production']?.after ?? 0), 0);
  return Math.round((days / released.length) * 10) / 10 || 0.1;
};

export const statsOf = (project: string, history: readonly HistoricEvent[], clock: Clock) => {
  const features = EXISTING_FEATURES.filter((feature) => feature.project === project);
  const active = features.filter((feature) => !isArchived(feature));
  const archivedFeatures = features.filter(isArchived);
  const events = history
    .filter((event) => event.project === project)
    .map((event) => -daysBetween(event.createdAt, clock.today));
  const count = (days: readonly (number | undefined)[], from: number, to: number) =>
    days.filter((day) => inWindow(day, from, to)).length;

  return {
    project,
    avg_time_to_prod_current_window: timeToProduction(features),
    project_changes_current_window: count(events, -30, 1),
    project_changes_past_window: count(events, -60, -30),
    features_created_current_window: count(
      active.map((feature) => feature.created),
      -30,
      1,
    ),
    features_created_past_window: count(
      active.map((feature) => feature.created),
      -60,
      -30,
    ),
    features_archived_current_window: count(
      archivedFeatures.map((feature) => feature.archived),
      -30,
      1,
    ),
    features_archived_past_window: count(
      archivedFeatures.map((feature) => feature.archived),
      -60,
      -30,
    ),
    project_members_added_current_window: count(
      PROJECT_GRANTS.filter((grant) => grant.project === project).map(({ day }) => day),
      -30,
      1,
    ),
  };
};
