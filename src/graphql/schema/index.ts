import type { GraphQLSchema } from 'graphql';
import { boundFields } from '../bound-fields.js';
import { builder } from '../builder.js';
import '../federation/entities.js';
import '../federation/service.js';
import { withoutRouterFields } from '../federation/without-router-fields.js';
import '../scalars.js';
import './change-request.js';
import './clean-up.js';
import './clone-feature.js';
import './clone-features.js';
import './clone-plan.js';
import './environment-features.js';
import './event-activity.js';
import './event-change.js';
import './event-connection.js';
import './event-deliveries.js';
import './event-facets.js';
import './event-group.js';
import './event-log.js';
import './event-subscription.js';
import './feature-as-of.js';
import './feature-comparison.js';
import './feature-connection.js';
import './feature-environment-log.js';
import './feature-timeline.js';
import './feature-type-count.js';
import './feature-usage.js';
import './health-report.js';
import './integration-event.js';
import './integration-explanation.js';
import './integration-stats.js';
import './integration.js';
import './node-queries.js';
import './project-connection.js';
import './release-plan.js';
import './segments.js';
import './strategy-segments.js';
import './users.js';
import './viewer.js';

/** The whole graph, with the fields for routers of a federated graph. */
export const subgraph: GraphQLSchema = boundFields(builder.toSchema());

/** The graph for clients. */
export const schema: GraphQLSchema = withoutRouterFields(subgraph);

export const schemaFor = ({ federation }: { federation: boolean }): GraphQLSchema =>
  federation ? subgraph : schema;
