import type { ProjectDetailsQuery } from '../../generated/documents.js';

export type ProjectDetails = NonNullable<ProjectDetailsQuery['project']>;
