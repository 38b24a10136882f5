import type { AuthorCount } from '../../domain/events/event-activity.js';
import { categoryOfType } from '../../domain/events/event-categories.js';
import type { FacetCount } from '../../domain/events/event-facets.js';
import { eventTypeLabel } from '../../domain/events/event-summary.js';
import { builder } from '../builder.js';
import { connectionTypes } from '../connection.js';
import { EventAuthorCount, EventTypeCount } from './activity.js';
import { Environment, findEnvironment } from './environment.js';
import { EventCategory } from './event-type-filter.js';
import { Feature } from './feature.js';
import { Project } from './project.js';
import { findUser, User } from './user.js';

builder.objectFields(EventTypeCount, (t) => ({
  label: t.string({
    description: 'Human-readable name of the type, such as `Feature created`.',
    resolve: ({ type }) => eventTypeLabel(type),
  }),
  category: t.field({
    type: EventCategory,
    nullable: true,
    description: 'Subject of the type. Null for types newer than this gateway.',
    resolve: ({ type }) => categoryOfType(type),
  }),
}));

builder.objectField(EventAuthorCount, 'createdByUser', (t) =>
  t.field({
    type: User,
    nullable: true,
    description:
      'The author, if Unleash has a record of that user. Deleted users may still have one.',
    resolve: ({ createdByUserId }, _args, { loaders }) => findUser(createdByUserId, loaders),
  }),
);

/** The fields of an author, besides those by which the list is ordered. */
export const toAuthorCount = (row: FacetCount): FacetCount & AuthorCount => ({
  ...row,
  createdBy: row.value,
  createdByUserId: row.userId,
});

const EventFeatureCount = builder.objectRef<FacetCount>('EventFeatureCount').implement({
  description: 'Number of events of one feature.',
  fields: (t) => ({
    featureName: t.exposeString('value', {
      description: 'Feature name as recorded. The feature may no longer exist.',
    }),
    feature: t.field({
      type: Feature,
      nullable: true,
      description: 'The feature, if it still exists.',
      resolve: ({ value }, _args, { loaders }) => loaders.feature.load(value),
    }),
    count: t.exposeInt('count', { description: 'Number of events.' }),
  }),
});

const EventProjectCount = builder.objectRef<FacetCount>('EventProjectCount').implement({
  description: 'Number of events in one project.',
  fields: (t) => ({
    projectId: t.exposeString('value', {
      description: 'Project ID as recorded. The project may no longer exist.',
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project, if it still exists.',
      resolve: ({ value }, _args, { loaders }) => loaders.project.load(value),
    }),
    count: t.exposeInt('count', { description: 'Number of events.' }),
  }),
});

export const EventEnvironmentCount = builder
  .objectRef<FacetCount>('EventEnvironmentCount')
  .implement({
    description: 'Number of events in one environment.',
    fields: (t) => ({
      environmentName: t.exposeString('value', {
        description: 'Environment name as recorded. The environment may no longer exist.',
      }),
      environment: t.field({
        type: Environment,
        nullable: true,
        description: 'The environment, if it still exists.',
        resolve: ({ value }, _args, { loaders }) => findEnvironment(value, loaders),
      }),
      count: t.exposeInt('count', { description: 'Number of events.' }),
    }),
  });

export const { Connection: EventAuthorCountConnection } = connectionTypes(EventAuthorCount, {
  name: 'EventAuthorCount',
  description: 'A page of authors, most frequent first.',
  edgeDescription: 'An author and its cursor.',
});

export const { Connection: EventFeatureCountConnection } = connectionTypes(EventFeatureCount, {
  name: 'EventFeatureCount',
  description: 'A page of features, most frequent first.',
  edgeDescription: 'A feature and its cursor.',
});

export const { Connection: EventProjectCountConnection } = connectionTypes(EventProjectCount, {
  name: 'EventProjectCount',
  description: 'A page of projects, most frequent first.',
  edgeDescription: 'A project and its cursor.',
});
