/** Row types that operations return. */
export type { Dependency, Feature, Project } from '../data/db.js';
export type { EventRow } from '../data/events/event-rows.sql.js';
export type { IntegrationEventRow } from '../data/integrations/deliveries.sql.js';
export type { Loaders } from '../data/loaders.js';
