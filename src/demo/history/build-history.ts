import { type Clock, minutesAfter } from '../clock.js';
import type { Tag } from '../feature-spec.js';
import { FEATURES } from '../features.js';
import { authorOf } from '../people.js';
import { createRandom } from '../random.js';
import { changeRequestEvents } from './change-requests.js';
import { COMPANY_EVENTS } from './company.js';
import type { EventDraft, EventLine, Json } from './event-draft.js';
import { FIRST_DAYS } from './first-days.js';
import { lifeOfFeature } from './life-of-feature.js';
import { AUTOMATION_OCCASIONS } from './occasions/automation.js';
import { PEOPLE_OCCASIONS } from './occasions/people.js';
import { PROJECT_OCCASIONS } from './occasions/projects.js';
import { SETTINGS_OCCASIONS } from './occasions/settings.js';
import { ODD_PAYLOADS } from './odd-payloads.js';

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

/** Every event of a feature carries the tags it had, also where the story does not follow its life. */
const withTags = (drafts: readonly EventDraft[]): EventDraft[] => {
  const tagsOf = new Map<string, readonly Tag[]>();
  return drafts.map((draft) => {
    const name = draft.featureName ?? '';
    if (draft.tags) tagsOf.set(name, draft.tags);
    return { ...draft, tags: draft.tags ?? tagsOf.get(name) ?? [] };
  });
};

/** The whole event log, oldest first, numbered from 1. */
export const buildHistory = (clock: Clock): HistoricEvent[] => {
  const random = createRandom(SEED);
  const lines = [
    ...FIRST_DAYS,
    ...COMPANY_EVENTS,
    ...PEOPLE_OCCASIONS,
    ...PROJECT_OCCASIONS,
    ...SETTINGS_OCCASIONS,
    ...AUTOMATION_OCCASIONS,
    ...changeRequestEvents(clock),
    ...ODD_PAYLOADS,
  ];
  const drafts = [
    ...lines.map(dated(clock)),
    ...FEATURES.flatMap((feature) => lifeOfFeature(feature, clock)),
  ];

  // People do not act on the full minute; jobs and migrations do, and share it.
  const timed = drafts.map((draft) => {
    const byMachine = draft.by === 'system' || draft.by === 'migration';
    return { ...draft, at: minutesAfter(draft.at, byMachine ? 0 : random.int(0, 59_999) / 60_000) };
  });
  return withTags(timed.sort((a, b) => a.at.getTime() - b.at.getTime())).map(
    ({ at, type, by, project, environment, featureName, data, preData, tags }, index) => ({
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
    }),
  );
};
