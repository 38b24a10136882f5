import type { Clock } from '../clock.js';
import type { FeatureSpec } from '../feature-spec.js';
import * as change from './changes.js';
import { createdAt, type Due, environmentsOf, metadataOf, record } from './feature-life.js';

/** Days a feature of the type is meant to live; the other types live for ever. */
export const LIFETIMES: Readonly<Record<string, number>> = {
  release: 40,
  experiment: 40,
  operational: 7,
};

/** Minutes of the day when nobody works on the details, so that the turns of a life never cross a routine. */
const EARLY = 420;
const LATE = 1_200;

/** The day on which the service finds the feature old for its type, if that day has come. */
export const potentiallyStaleDay = (spec: FeatureSpec): number | null => {
  const lifetime = LIFETIMES[spec.type];
  if (lifetime === undefined) return null;

  const day = spec.created + lifetime;
  const archived = spec.revived === undefined ? spec.archived : undefined;
  const end = Math.min(spec.stale ?? 0, archived ?? 0, -1);
  return day <= end ? day : null;
};

export const milestonesOf = (spec: FeatureSpec, clock: Clock): Due[] => {
  const due: Due[] = [];
  const on = (day: number, minute: number, act: Due['act']) =>
    due.push({ at: clock.at(day, minute), act });

  for (const [index, [environment, { enabled, after }]] of environmentsOf(spec).entries()) {
    if (!enabled) continue;
    if (after === 0) {
      // Same day as the creation, once everything is set up.
      on(spec.created, 720 + index, (life, at) =>
        change.switchEnvironment(life, at, environment, true),
      );
    } else {
      on(spec.created + after, EARLY + index, (life, at) =>
        change.switchEnvironment(life, at, environment, true),
      );
    }
  }

  for (const [index, by] of (spec.favoriteOf ?? []).entries()) {
    const day = favoriteDay(spec);
    on(day, LATE + index, (life, at) =>
      record(life, at, 'feature-favorited', { by, data: { feature: spec.name } }),
    );
  }

  if (spec.moved) {
    const { day, from } = spec.moved;
    on(day, LATE, (life, at) => {
      life.project = spec.project;
      record(life, at, 'feature-project-change', {
        by: 'rootAdmin',
        data: { oldProject: from, newProject: spec.project },
      });
    });
  }

  const aged = potentiallyStaleDay(spec);
  // One run of the service's nightly job finds all of a day: they share their moment.
  if (aged !== null) {
    on(aged, 1_439, (life, at) =>
      record(life, at, 'feature-potentially-stale-on', { by: 'system' }),
    );
  }

  if (spec.completed) {
    const { day, status } = spec.completed;
    on(day, LATE, (life, at) => record(life, at, 'feature-completed', { data: { status } }));
  }
  if (spec.stale !== undefined) {
    on(spec.stale, LATE + 30, (life, at) => {
      life.stale = true;
      record(life, at, 'feature-stale-on');
    });
  }
  if (spec.archived !== undefined)
    on(spec.archived, LATE + 60, (life, at) => record(life, at, 'feature-archived'));
  if (spec.revived !== undefined)
    on(spec.revived, LATE, (life, at) => record(life, at, 'feature-revived'));
  if (spec.deleted !== undefined) {
    on(spec.deleted, LATE, (life, at) =>
      record(life, at, 'feature-deleted', { preData: metadataOf(life), by: 'rootAdmin' }),
    );
  }
  return due;
};

/** Somebody likes a feature a while after its creation. */
export const favoriteDay = (spec: FeatureSpec): number => Math.floor(spec.created / 2) - 1;

/** Moments that also stand in the tables. */
export const archivedAt = (spec: FeatureSpec, clock: Clock): Date | null =>
  spec.archived === undefined || spec.revived !== undefined
    ? null
    : clock.at(spec.archived, LATE + 60);

/** Every stage the feature has entered, the present one last. */
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
