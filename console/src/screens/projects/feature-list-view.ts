import type {
  FeatureFilter,
  FeatureOrderField,
  LifecycleStage,
} from '../../generated/documents.js';
import type { Sorts } from '../../ui/sort.js';

/** What the features of a project show: the state of the URL. */
export const EMPTY_VIEW = { text: '', state: '', stage: '', type: '', enabled: '', sort: '' };

export type FeatureListView = typeof EMPTY_VIEW;

export const STATES = [
  { id: '', label: 'All' },
  { id: 'active', label: 'Not stale' },
  { id: 'stale', label: 'Stale' },
  { id: 'potentially-stale', label: 'Potentially stale' },
  { id: 'archived', label: 'Archived' },
];

export const STAGE_LABELS: Record<LifecycleStage, string> = {
  INITIAL: 'Initial',
  PRE_LIVE: 'Pre-live',
  LIVE: 'Live',
  COMPLETED: 'Completed',
  ARCHIVED: 'Archived',
  OTHER: 'Other',
};

const FILTER_STAGES: readonly LifecycleStage[] = ['INITIAL', 'PRE_LIVE', 'LIVE', 'COMPLETED'];

export const STAGES = [
  { id: '', label: 'All' },
  ...FILTER_STAGES.map((stage) => ({ id: stage.toLowerCase(), label: STAGE_LABELS[stage] })),
];

export const SORTS: Sorts<FeatureOrderField> = [
  { field: 'NAME', direction: 'ASC' },
  { field: 'TYPE', direction: 'ASC' },
  { field: 'STALE', direction: 'DESC' },
  { field: 'LAST_SEEN_AT', direction: 'ASC' },
  { field: 'CREATED_AT', direction: 'ASC' },
];

export const SORT_OPTIONS = [
  { id: 'name', label: 'Name' },
  { id: '-name', label: 'Name, last first' },
  { id: 'type', label: 'Type' },
  { id: '-type', label: 'Type, last first' },
  { id: '-stale', label: 'Stale first' },
  { id: 'stale', label: 'Stale last' },
  { id: 'last-seen-at', label: 'Longest unseen first' },
  { id: '-last-seen-at', label: 'Last seen first' },
  { id: 'created-at', label: 'Oldest first' },
  { id: '-created-at', label: 'Newest first' },
];

const stateFilter = (state: string): FeatureFilter => {
  switch (state) {
    case 'active':
      return { stale: false };
    case 'stale':
      return { stale: true };
    case 'potentially-stale':
      return { potentiallyStale: true };
    case 'archived':
      return { archived: true };
    default:
      return {};
  }
};

export const filterOf = ({
  text,
  state,
  stage,
  type,
  enabled,
}: Omit<FeatureListView, 'sort'>): FeatureFilter => {
  const stageName = FILTER_STAGES.find((name) => name.toLowerCase() === stage);
  return {
    ...stateFilter(state),
    ...(text.trim() !== '' && { text: text.trim() }),
    ...(stageName && { lifecycleStage: { is: stageName } }),
    ...(type !== '' && { type: { is: type } }),
    ...(enabled !== '' && { enabledEnvironmentName: enabled }),
  };
};
