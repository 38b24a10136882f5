import { type Clock, minutesAfter } from '../clock.js';
import type { Tag } from '../feature-spec.js';
import { FEATURES } from '../features.js';
import { authorOf } from '../people.js';
import { createRandom } from '../random.js';
import { buildFeatureHistory } from './build-feature-history.js';
import { changeRequestEvents } from './change-requests.js';
import { CREATION_EVENTS } from './creation-events.js';
import type { EventDraft, EventLine, Json } from './event-draft.js';
import { AUTOMATION_EVENTS } from './events/automation.js';
import { PEOPLE_EVENTS } from './events/people.js';
import { PROJECT_EVENTS } from './events/projects.js';
import { SETTINGS_EVENTS } from './events/settings.js';
import { INITIAL_EVENTS } from './initial-events.js';
import { UNEXPECTED_PAYLOADS } from './unexpected-payloads.js';

export type HistoricEvent = {
  id: number;
  createdAt: Date;
  type: string;
  createdBy: string;
  createdByUserId: number | null;
  ip: string | null;
  project: string | null;
  environment: string | null;
  featureName: string | null;
  data: Json;
  preData: Json;
  tags: { value: string; type: string }[];
  groupType: string | null;
  groupId: string | null;
};

const SEED = 20_260_101;

const dated =
  (clock: Clock) =>
  ([day, minute, type, by, rest = {}]: EventLine): EventDraft => ({
    at: clock.at(day, minute),
    type,
    by,
    ...rest,
  });

/** Every event of a feature carries the feature's tags, including events outside its simulation. */
const withTags = (drafts: readonly EventDraft[]): EventDraft[] => {
  const tagsOf = new Map<string, readonly Tag[]>();
  return drafts.map((draft) => {
    const name = draft.featureName ?? '';
    if (draft.tags) tagsOf.set(name, draft.tags);
    return { ...draft, tags: draft.tags ?? tagsOf.get(name) ?? [] };
  });
};

/** The whole event log, oldest first, with IDs from 1. */
export const buildHistory = (clock: Clock): HistoricEvent[] => {
  const random = createRandom(SEED);
  const lines = [
    ...INITIAL_EVENTS,
    ...CREATION_EVENTS,
    ...PEOPLE_EVENTS,
    ...PROJECT_EVENTS,
    ...SETTINGS_EVENTS,
    ...AUTOMATION_EVENTS,
    ...changeRequestEvents(clock),
    ...UNEXPECTED_PAYLOADS,
  ];
  const drafts = [
    ...lines.map(dated(clock)),
    ...FEATURES.flatMap((feature) => buildFeatureHistory(feature, clock)),
  ];

  // Adds random seconds to what people do; jobs and migrations run on the full minute and share timestamps.
  const timed = drafts.map((draft) => {
    const byMachine = draft.by === 'system' || draft.by === 'migration';
    return { ...draft, at: minutesAfter(draft.at, byMachine ? 0 : random.int(0, 59_999) / 60_000) };
  });
  return withTags(timed.sort((a, b) => a.at.getTime() - b.at.getTime())).map(
    ({ at, type, by, project, environment, featureName, data, preData, tags, group }, index) => ({
      id: index + 1,
      createdAt: at,
      type,
      ...authorOf(by),
      project: project ?? null,
      environment: environment ?? null,
      featureName: featureName ?? null,
      data: data ?? null,
      preData: preData ?? null,
      tags: [...(tags ?? [])],
      groupType: group?.type ?? null,
      groupId: group?.id ?? null,
    }),
  );
};
