import type { CleanUpFilter, CleanUpKind, CleanUpOrderField } from '../../generated/documents.js';
import type { Sorts } from '../../ui/sort.js';

/** What the board shows: the state of the URL. Reasons are separated by commas. */
export const EMPTY_VIEW = { text: '', project: '', reasons: '', days: '', sort: '' };

export type CleanUpView = typeof EMPTY_VIEW;

type Reason = { kind: CleanUpKind; label: string; text: string; weight: number };

/** Most important first. */
export const REASONS: readonly Reason[] = [
  { kind: 'STALE', label: 'Stale', text: 'Marked stale, but not archived.', weight: 16 },
  { kind: 'COMPLETED', label: 'Completed', text: 'Completed, but not archived.', weight: 8 },
  {
    kind: 'FULLY_ROLLED_OUT',
    label: 'Fully rolled out',
    text: 'Enabled for all users in all environments.',
    weight: 4,
  },
  { kind: 'NOT_SEEN', label: 'Not seen', text: 'No application reports using it.', weight: 2 },
  {
    kind: 'POTENTIALLY_STALE',
    label: 'Potentially stale',
    text: 'Older than expected for its type.',
    weight: 1,
  },
];

export const labelOf = (kind: CleanUpKind): string =>
  REASONS.find((reason) => reason.kind === kind)?.label ?? kind;

/** How the weight of a feature is calculated. */
export const WEIGHT_SENTENCE = `Weight is the sum of the reasons: ${REASONS.map(
  ({ label, weight }) => `${label.toLowerCase()} ${weight}`,
).join(', ')}.`;

const nameOf = (kind: CleanUpKind): string => kind.toLowerCase().replaceAll('_', '-');

export const readReasons = (text: string): CleanUpKind[] => {
  const names = text.split(',');
  return REASONS.flatMap(({ kind }) => (names.includes(nameOf(kind)) ? [kind] : []));
};

export const writeReasons = (kinds: readonly CleanUpKind[]): string => kinds.map(nameOf).join(',');

export const MOST_DAYS = 3_650;
export const DEFAULT_DAYS = 7;

/** Null if the text is not a valid number of days. */
export const parseDays = (text: string): number | null => {
  const days = Number(text);
  return /^\d+$/.test(text) && days >= 1 && days <= MOST_DAYS ? days : null;
};

export const SORTS: Sorts<CleanUpOrderField> = [
  { field: 'WEIGHT', direction: 'DESC' },
  { field: 'AGE', direction: 'DESC' },
  { field: 'NAME', direction: 'ASC' },
];

export const SORT_OPTIONS = [
  { id: '-weight', label: 'Most important first' },
  { id: 'weight', label: 'Least important first' },
  { id: '-age', label: 'Oldest first' },
  { id: 'age', label: 'Newest first' },
  { id: 'name', label: 'Name' },
  { id: '-name', label: 'Name, last first' },
];

export const filterOf = ({
  text,
  project,
  reasons,
}: Pick<CleanUpView, 'text' | 'project' | 'reasons'>): CleanUpFilter => {
  const kinds = readReasons(reasons);
  const name = text.trim();
  return {
    ...(name !== '' && { name: { contains: name } }),
    ...(project !== '' && { projectId: { is: project } }),
    ...(kinds.length > 0 && { kind: { anyOf: kinds } }),
  };
};
