import type { ProjectMode } from '../../generated/documents.js';

/** Null for the usual mode, which needs no explanation. */
export const modeLabel = (mode: ProjectMode): string | null => {
  switch (mode) {
    case 'PRIVATE':
      return 'Private';
    case 'PROTECTED':
      return 'Protected';
    default:
      return null;
  }
};

export const modeSentence = (mode: ProjectMode): string | null => {
  switch (mode) {
    case 'OPEN':
      return 'All users may submit change requests.';
    case 'PROTECTED':
      return 'Only members may submit change requests.';
    case 'PRIVATE':
      return 'Only members may submit change requests, and viewers see it only if they are members.';
    default:
      return null;
  }
};
