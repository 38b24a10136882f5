import type { EventCriteria } from '../domain/events/event-criteria.js';
import { MAX_EVENTS_LIMIT } from '../domain/paging.js';
import {
  type Query,
  readDayEnd,
  readDayStart,
  readFilter,
  readIntegerFilter,
  readPage,
  readText,
} from './query-params.js';
import type { SearchedEvent } from './rest-operations.js';
import { defineRoute } from './route.js';

// In the order in which the original reports violations.
const readCriteria = (query: Query): EventCriteria => {
  const text = readText(query, 'query');
  const features = readFilter(query, 'feature');
  const projects = readFilter(query, 'project');
  const types = readFilter(query, 'type');
  const creators = readIntegerFilter(query, 'createdBy');
  const from = readDayStart(query, 'from');
  const before = readDayEnd(query, 'to');
  const environments = readFilter(query, 'environment');
  return {
    ...(text && { text }),
    ...(features && { features }),
    ...(projects && { projects }),
    ...(types && { types }),
    ...(creators && { creators }),
    ...(from && { from }),
    ...(before && { before }),
    ...(environments && { environments }),
  };
};

const toJson = (event: SearchedEvent) => ({
  id: event.id,
  type: event.type,
  createdBy: event.createdBy,
  createdAt: event.createdAt,
  createdByUserId: event.createdByUserId,
  data: event.data ?? null,
  preData: event.preData ?? null,
  tags: event.tags || [],
  featureName: event.featureName,
  project: event.projectId,
  environment: event.environment,
  label: event.label,
  summary: event.summary,
});

export const searchEventsRoute = defineRoute({
  method: 'GET',
  path: '/api/admin/search/events',
  guide: 'search-events',
  parse: ({ query }) => ({
    criteria: readCriteria(query),
    page: readPage(query, MAX_EVENTS_LIMIT),
  }),
  run: async (operations, actor, input) => {
    const { events, total } = await operations.searchEvents(actor, input);
    return { events: events.map(toJson), total };
  },
});
