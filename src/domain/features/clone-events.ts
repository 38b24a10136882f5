import { randomUUID } from 'node:crypto';
import { Prisma } from '../../data/db.js';
import type { CloneDraft } from './clone-draft.js';
import type { TagRow } from './clone-related-data.js';
import { type StrategyCopy, strategyEventData } from './copy-strategy.js';
import { FINGERPRINT_KEY } from './idempotency.js';
import { inStoredOrder } from './stored-order.js';

export type StrategyToWrite = StrategyCopy & { id: string };

type NewEvent = {
  type: string;
  environment: string | null;
  data: unknown;
  /** Tags that the clone has at this point. Default: none. */
  tags?: readonly TagRow[];
  /** Default: the target project. */
  project?: null;
};

/** Placeholder in payloads, which the database replaces with the timestamp. */
export const CREATED_AT: string = randomUUID();

/** Metadata of a new feature, as in its first event and in Unleash's response. */
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

/** The events of the clone, in order. */
const eventsOf = (
  draft: CloneDraft,
  strategies: readonly StrategyToWrite[],
  fingerprintId: string | null,
): NewEvent[] => [
  {
    type: 'feature-created',
    environment: null,
    data: {
      ...featureMetadata(draft),
      ...(fingerprintId !== null && { [FINGERPRINT_KEY]: fingerprintId }),
    },
  },
  ...draft.links.map(({ url, title }) => ({
    type: 'feature-link-added',
    environment: null,
    data: { url, title },
  })),
  ...strategies.map((strategy) => ({
    type: 'feature-strategy-add',
    environment: strategy.environmentName,
    // Payload keys are in the order in which the database returns them.
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

/** Events of the parts that were requested, each as Unleash records the action. */
const extraEventsOf = ({ name, tags, isFavorite }: CloneDraft): NewEvent[] => [
  ...tags.map(({ type, value }, index) => ({
    type: 'feature-tagged',
    environment: null,
    data: { type, value },
    tags: tags.slice(0, index + 1),
  })),
  // A favorite belongs to no project.
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

// Unleash writes the value of a tag before its type here.
const tagsText = (tags: readonly TagRow[]): string =>
  JSON.stringify(tags.map(({ type, value }) => ({ value, type })));

export type EventRows = {
  rows: readonly object[];
  /** Column definitions of the rows. */
  columns: string;
  /** Expressions for the tags and the project of an event. */
  tags: Prisma.Sql;
  project: Prisma.Sql;
};

const COLUMNS = 'n int, type text, environment text, data text';

/** Events of a clone as rows; without extra parts, all have the same project and no tags. */
export const eventRowsOf = (
  draft: CloneDraft,
  strategies: readonly StrategyToWrite[],
  /** Identifies the clone for retries; null without an idempotency key. */
  fingerprintId: string | null,
): EventRows => {
  const { targetProject } = draft;
  const toRow = ({ type, environment, data }: NewEvent, index: number) => ({
    n: index + 1,
    type,
    environment,
    data: JSON.stringify(data),
  });
  const events = eventsOf(draft, strategies, fingerprintId);
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
