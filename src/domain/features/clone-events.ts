import { randomUUID } from 'node:crypto';
import { Prisma } from '../../data/db.js';
import type { CloneDraft } from './clone-draft.js';
import type { FeatureMark } from './clone-surroundings.js';
import { type StrategyCopy, strategyEventData } from './copy-strategy.js';
import { inStoredOrder } from './stored-order.js';

export type StrategyToWrite = StrategyCopy & { id: string };

type NewEvent = {
  type: string;
  environment: string | null;
  data: unknown;
  /** The tags the copy has by then. Default none. */
  tags?: readonly FeatureMark[];
  /** Default the target project. */
  project?: null;
};

/** Stands in payloads where only the database knows the moment, and puts it in. */
export const CREATED_AT: string = randomUUID();

/** The metadata of a new feature, as its first event and the original's answer show it. */
const featureMetadata = ({ source, name, targetProject }: CloneDraft) => ({
  name,
  description: source.description,
  type: source.type,
  project: targetProject,
  stale: source.stale,
  createdAt: CREATED_AT,
  lastSeenAt: null,
  impressionData: source.impressionData,
  archivedAt: null,
  archived: false,
});

/** The events that tell of the clone, in their order. */
const eventsOf = (draft: CloneDraft, strategies: readonly StrategyToWrite[]): NewEvent[] => [
  { type: 'feature-created', environment: null, data: featureMetadata(draft) },
  ...strategies.map((strategy) => ({
    type: 'feature-strategy-add',
    environment: strategy.environmentName,
    // Payloads have their keys in the order in which the database gives them back.
    data: strategyEventData({
      ...strategy,
      parameters: inStoredOrder(strategy.parameters),
      constraints: inStoredOrder(strategy.constraints),
      variants: inStoredOrder(strategy.variants),
    }),
  })),
  ...draft.dependencies.map(({ parentName, enabled, variants }) => ({
    type: 'feature-dependency-added',
    environment: null,
    data: { feature: parentName, enabled, variants },
  })),
];

/** What tells of the parts that were asked for, each as the original records the act. */
const extraEventsOf = ({ name, tags, isFavorite }: CloneDraft): NewEvent[] => [
  ...tags.map(({ type, value }, index) => ({
    type: 'feature-tagged',
    environment: null,
    data: { type, value },
    tags: tags.slice(0, index + 1),
  })),
  // Whose favorite it is concerns no project.
  ...(isFavorite
    ? [
        {
          type: 'feature-favorited',
          environment: null,
          data: { feature: name },
          tags,
          project: null,
        },
      ]
    : []),
];

// The original has the value of a tag before its type here.
const tagsText = (tags: readonly FeatureMark[]): string =>
  JSON.stringify(tags.map(({ type, value }) => ({ value, type })));

export type EventRows = {
  rows: readonly object[];
  /** The columns of the rows. */
  columns: string;
  /** Where an event gets its tags and its project from. */
  tags: Prisma.Sql;
  project: Prisma.Sql;
};

const COLUMNS = 'n int, type text, environment text, data text';

/** The events of a clone as rows to be written; those of a plain one all have the same project and no tags. */
export const eventRowsOf = (
  draft: CloneDraft,
  strategies: readonly StrategyToWrite[],
): EventRows => {
  const { targetProject } = draft;
  const toRow = ({ type, environment, data }: NewEvent, index: number) => ({
    n: index + 1,
    type,
    environment,
    data: JSON.stringify(data),
  });
  const events = eventsOf(draft, strategies);
  const extraEvents = extraEventsOf(draft);
  if (extraEvents.length === 0) {
    return {
      rows: events.map(toRow),
      columns: COLUMNS,
      tags: Prisma.sql`'[]'::json`,
      project: Prisma.sql`${targetProject}`,
    };
  }
  return {
    rows: [...events, ...extraEvents].map((event, index) => ({
      ...toRow(event, index),
      tags: tagsText(event.tags ?? []),
      project: event.project === undefined ? targetProject : event.project,
    })),
    columns: `${COLUMNS}, tags text, project text`,
    tags: Prisma.sql`given.tags::json`,
    project: Prisma.sql`given.project`,
  };
};
