import type { Clock } from '../clock.js';
import type { FeatureSpec } from '../feature-spec.js';
import * as change from './changes.js';
import {
  createdAt,
  environmentsOf,
  metadataOf,
  record,
  type ScheduledChange,
} from './feature-simulation.js';

/** Expected lifetime in days; other types have none. */
export const LIFETIMES: Readonly<Record<string, number>> = {
  release: 40,
  experiment: 40,
  operational: 7,
};

/** Minutes of the day outside working hours, so that milestones never coincide with routine changes. */
const EARLY = 420;
const LATE = 1_200;

/** The day on which Unleash marks the feature as potentially stale; null if it has not. */
export const potentiallyStaleDay = (spec: FeatureSpec): number | null => {
  const lifetime = LIFETIMES[spec.type];
  if (lifetime === undefined) return null;

  const day = spec.created + lifetime;
  const archived = spec.revived === undefined ? spec.archived : undefined;
  const end = Math.min(spec.stale ?? 0, archived ?? 0, -1);
  return day <= end ? day : null;
};

export const milestonesOf = (spec: FeatureSpec, clock: Clock): ScheduledChange[] => {
  const scheduled: ScheduledChange[] = [];
  const on = (day: number, minute: number, act: ScheduledChange['act']) =>
    scheduled.push({ at: clock.at(day, minute), act });

  for (const [index, [environment, { enabled, after }]] of environmentsOf(spec).entries()) {
    if (!enabled) continue;
    if (after === 0) {
      // On the day of creation, after the setup.
      on(spec.created, 720 + index, (simulation, at) =>
        change.switchEnvironment(simulation, at, environment, true),
      );
    } else {
      on(spec.created + after, EARLY + index, (simulation, at) =>
        change.switchEnvironment(simulation, at, environment, true),
      );
    }
  }

  for (const [index, by] of (spec.favoriteOf ?? []).entries()) {
    const day = favoriteDay(spec);
    on(day, LATE + index, (simulation, at) =>
      record(simulation, at, 'feature-favorited', { by, data: { feature: spec.name } }),
    );
  }

  if (spec.moved) {
    const { day, from } = spec.moved;
    on(day, LATE, (simulation, at) => {
      simulation.project = spec.project;
      record(simulation, at, 'feature-project-change', {
        by: 'rootAdmin',
        data: { oldProject: from, newProject: spec.project },
      });
    });
  }

  const aged = potentiallyStaleDay(spec);
  // One run of Unleash's nightly job marks all features of a day, so their events share a timestamp.
  if (aged !== null) {
    on(aged, 1_439, (simulation, at) =>
      record(simulation, at, 'feature-potentially-stale-on', { by: 'system' }),
    );
  }

  if (spec.completed) {
    const { day, status } = spec.completed;
    on(day, LATE, (simulation, at) =>
      record(simulation, at, 'feature-completed', { data: { status } }),
    );
  }
  if (spec.stale !== undefined) {
    on(spec.stale, LATE + 30, (simulation, at) => {
      simulation.stale = true;
      record(simulation, at, 'feature-stale-on');
    });
  }
  if (spec.archived !== undefined)
    on(spec.archived, LATE + 60, (simulation, at) => record(simulation, at, 'feature-archived'));
  if (spec.revived !== undefined)
    on(spec.revived, LATE, (simulation, at) => record(simulation, at, 'feature-revived'));
  if (spec.deleted !== undefined) {
    on(spec.deleted, LATE, (simulation, at) =>
      record(simulation, at, 'feature-deleted', {
        preData: { ...metadataOf(simulation), archivedAt: at.toISOString(), archived: true },
        by: 'rootAdmin',
      }),
    );
  }
  return scheduled;
};

export const favoriteDay = (spec: FeatureSpec): number => Math.floor(spec.created / 2) - 1;

/** Also stored in the features table. */
export const archivedAt = (spec: FeatureSpec, clock: Clock): Date | null =>
  spec.archived === undefined || spec.revived !== undefined
    ? null
    : clock.at(spec.archived, LATE + 60);

/** Every stage the feature has entered, the current one last. */
export const stagesOf = (spec: FeatureSpec, clock: Clock) => {
  const { development, production } = spec.environments;
  const archived = archivedAt(spec, clock);
  const released = production?.enabled && production.seen !== null;
  const stage = (name: string, entered: Date, status: string | null = null) => ({
    stage: name,
    entered,
    status,
  });

  return [
    stage('initial', createdAt(spec, clock)),
    ...(development?.seen == null ? [] : [stage('pre-live', clock.at(spec.created, 800))]),
    ...(released ? [stage('live', clock.at(spec.created + production.after, 810))] : []),
    ...(spec.completed
      ? [stage('completed', clock.at(spec.completed.day, LATE), spec.completed.status)]
      : []),
    ...(archived ? [stage('archived', archived)] : []),
  ];
};
