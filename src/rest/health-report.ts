import { HEALTH_COST } from '../domain/cost.js';
import { readStorable } from './query-params.js';
import { defineRoute } from './route.js';

export const healthReportRoute = defineRoute({
  method: 'GET',
  path: '/api/admin/projects/:projectId/health-report',
  isDeprecated: true,
  guide: 'health-report',
  parse: ({ params }) => readStorable('/params/projectId', params.projectId),
  cost: () => HEALTH_COST,
  run: (operations, actor, projectId) => operations.getHealthReport(actor, projectId),
});
