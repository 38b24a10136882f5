import type { GraphQLSchema } from 'graphql';
import { boundFields } from '../bound-fields.js';
import { builder } from '../builder.js';
import '../federation/entities.js';
import '../federation/service.js';
import '../scalars.js';
import './clean-up.js';
import './clone-feature.js';
import './event-activity.js';
import './event-change.js';
import './event-connection.js';
import './event-group.js';
import './event-log.js';
import './event-subscription.js';
import './feature-as-of.js';
import './feature-connection.js';
import './feature-timeline.js';
import './health-report.js';
import './integration-event.js';
import './integration-explanation.js';
import './integration-stats.js';
import './integration.js';
import './lookup.js';
import './node-queries.js';
import './project-connection.js';
import './viewer.js';

/** The whole graph. */
export const schema: GraphQLSchema = boundFields(builder.toSchema());
