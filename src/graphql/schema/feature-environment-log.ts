import { featureEnvironmentKey } from '../../domain/events/list-events-of.js';
import { MAX_EVENTS_LIMIT } from '../../domain/paging.js';
import { builder } from '../builder.js';
import { pageArgs, searchCost } from '../connection.js';
import { EventConnection, eventsOf, filterArg } from './event-connection.js';
import { Feature } from './feature.js';
import { FeatureEnvironment } from './feature-environment.js';
import { EnabledPeriod, lastArg, timelineCost } from './feature-timeline.js';

builder.objectField(FeatureEnvironment, 'timeline', (t) =>
  t.field({
    type: [EnabledPeriod],
    description:
      'Periods in which the feature was enabled or disabled in this environment, oldest first, with the events that toggled it.',
    complexity: timelineCost,
    args: { last: t.arg.int(lastArg) },
    resolve: ({ featureName, environmentName }, { last }, { pages }) =>
      pages.timelineOf({ name: featureName, environment: environmentName, last }),
  }),
);

builder.objectField(FeatureEnvironment, 'events', (t) =>
  t.field({
    type: EventConnection,
    description: 'Events of this feature in this environment, newest first.',
    complexity: searchCost,
    args: { ...pageArgs(t, MAX_EVENTS_LIMIT), filter: t.arg(filterArg) },
    resolve: ({ featureName, environmentName }, args, context, info) =>
      eventsOf(
        'featureEnvironment',
        featureEnvironmentKey(featureName, environmentName),
        args,
        context,
        info,
      ),
  }),
);

builder.objectField(FeatureEnvironment, 'feature', (t) =>
  t.field({
    type: Feature,
    nullable: true,
    description: 'The feature.',
    resolve: ({ featureName }, _args, { loaders }) => loaders.feature.load(featureName),
  }),
);
