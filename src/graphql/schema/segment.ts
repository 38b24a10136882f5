import { asObjects } from '../../domain/json.js';
import type { Loaders } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { Node } from './node.js';
import { Project } from './project.js';
import { Constraint } from './strategy-parts.js';

export const Segment = builder.prismaObject('Segment', {
  interfaces: [Node],
  description: 'A named set of constraints that strategies share.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Segment ID.' }),
    name: t.exposeString('name', { description: 'Segment name.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Free-text description.',
    }),
    constraints: t.field({
      type: [Constraint],
      description: 'Constraints that must all match.',
      resolve: (segment) => [...asObjects(segment.constraints)],
    }),
    projectId: t.exposeString('projectId', {
      nullable: true,
      description: 'ID of the only project that may use it; null if any project may.',
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The only project that may use it; null if any project may.',
      resolve: ({ projectId }, _args, { loaders }) =>
        projectId === null ? null : loaders.project.load(projectId),
    }),
  }),
});

/** Skips segments that no longer exist or that the caller may not see. */
export const loadSegments = async (ids: readonly number[], { segment }: Loaders) => {
  const segments = await Promise.all(ids.map((id) => segment.load(id)));
  return segments.filter((found) => found !== null);
};
