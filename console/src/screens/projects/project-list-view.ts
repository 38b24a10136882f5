import type { ProjectFilter, ProjectOrderField } from '../../generated/documents.js';
import type { Sorts } from '../../ui/sort.js';

/** What the list of projects shows: the state of the URL. */
export const EMPTY_VIEW = { text: '', show: '', sort: '' };

export const SHOWN = [
  { id: '', label: 'All projects' },
  { id: 'favorites', label: 'My favorites' },
  { id: 'archived', label: 'Archived projects' },
];

/** A value that the list does not offer shows all projects. */
export const shownOf = (show: string): string => (SHOWN.some(({ id }) => id === show) ? show : '');

export const SORTS: Sorts<ProjectOrderField> = [
  { field: 'HEALTH', direction: 'ASC' },
  { field: 'NAME', direction: 'ASC' },
  { field: 'CREATED_AT', direction: 'DESC' },
];

export const filterOf = ({
  text,
  show,
}: Pick<typeof EMPTY_VIEW, 'text' | 'show'>): ProjectFilter => ({
  ...(text.trim() !== '' && { text: text.trim() }),
  ...(show === 'favorites' && { favorite: true }),
  ...(show === 'archived' && { archived: true }),
});
