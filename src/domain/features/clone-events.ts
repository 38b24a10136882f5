import { FINGERPRINT_KEY } from '../../data/features/clone-facts.sql.js';
import type { EventToWrite, StrategyToWrite } from '../../data/features/clone-rows.sql.js';
import { CREATED_AT } from '../../data/features/write-clone.sql.js';
import type { CloneDraft } from './clone-draft.js';
import { strategyEventData } from './copy-strategy.js';
import { inStoredOrder } from './stored-order.js';

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

/** Events of the parts that were requested, each as Unleash records the action. */
const extraEventsOf = ({ name, tags, isFavorite }: CloneDraft): EventToWrite[] => [
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

/** The events of a clone, in order. */
export const eventsOf = (
  draft: CloneDraft,
  strategies: readonly StrategyToWrite[],
  /** Identifies the clone for retries; null without an idempotency key. */
  fingerprintId: string | null,
): EventToWrite[] => [
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
  ...extraEventsOf(draft),
];
