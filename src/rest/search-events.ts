import { COUNT_COST, TEXT_COST, VALUES_PER_ITEM } from '../domain/cost.js';
import type { EventCriteria } from '../domain/events/event-criteria.js';
import { MAX_EVENTS_LIMIT } from '../domain/paging.js';
import { mapInSlices } from '../domain/work.js';
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

// In the order in which Unleash reports violations.
const readCriteria = (query: Query): EventCriteria => {
  const text = readText(query, 'query');
  const ids = readIntegerFilter(query, 'id');
  const groups = readFilter(query, 'groupId');
  const features = readFilter(query, 'feature');
  const projects = readFilter(query, 'project');
  const types = readFilter(query, 'type');
  const creators = readIntegerFilter(query, 'createdBy');
  const from = readDayStart(query, 'from');
  const before = readDayEnd(query, 'to');
  const environments = readFilter(query, 'environment');
  return {
    ...(text && { text }),
    ...(ids && { ids }),
    ...(groups && { groups }),
    ...(features && { features }),
    ...(projects && { projects }),
    ...(types && { types }),
    ...(creators && { creators }),
    ...(from && { from }),
    ...(before && { before }),
    ...(environments && { environments }),
  };
};

const valuesOf = (criteria: EventCriteria): number =>
  Object.values(criteria).filter(Array.isArray).flat().length;

const EVENT_FIELDS = 15;

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
  ...(event.groupType && { groupType: event.groupType }),
  ...(event.groupId && { groupId: event.groupId }),
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
  cost: ({ criteria, page }) =>
    page.limit * EVENT_FIELDS +
    COUNT_COST +
    (criteria.text ? TEXT_COST : 0) +
    Math.floor(valuesOf(criteria) / VALUES_PER_ITEM),
  run: async (operations, actor, input) => {
    const { events, total } = await operations.searchEvents(actor, input);
    return { events: await mapInSlices(events, toJson), total };
  },
});
