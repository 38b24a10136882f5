// The upper bound of the hardware: the same responses from prepared statements, without any checks.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { describeEvent } from '../../../src/domain/events/event-summary.js';

const { DATABASE_URL, PORT, POOL_SIZE, ADMIN_UI_URL } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) });

const FEATURE_PAGE = {
  name: 'feature-page',
  text: `select id, type, created_by as "createdBy", created_at as "createdAt", created_by_user_id as "createdByUserId",
      data, pre_data as "preData", tags, feature_name as "featureName", project, environment
    from events where feature_name = $1 order by id desc limit 50`,
};
const FEATURE_COUNT = {
  name: 'feature-count',
  text: 'select count(*)::int as total from events where feature_name = $1',
};
const PAGE = {
  name: 'page',
  text: `select id, type as "typeName", created_by as "createdBy", created_at as "createdAt", feature_name as "featureName"
    from events where feature_name = $1 order by id desc limit 50`,
};

const describe = (event) => ({
  ...event,
  ...describeEvent({ ...event, projectId: event.project }, { adminUiUrl: ADMIN_UI_URL }),
});

const featurePage = async (feature) => {
  const [page, count] = await Promise.all([
    pool.query({ ...FEATURE_PAGE, values: [feature] }),
    pool.query({ ...FEATURE_COUNT, values: [feature] }),
  ]);
  return { events: page.rows.map(describe), total: count.rows[0].total };
};

const graphqlPage = async (feature) => {
  const { rows } = await pool.query({ ...PAGE, values: [feature] });
  return { data: { events: { nodes: rows } } };
};

const answer = async (request) => {
  if (request.method === 'POST') return graphqlPage((await json(request)).variables.value);
  const feature = /[?&]feature=IS:([^&]+)/.exec(request.url)?.[1];
  return feature ? featurePage(feature) : {};
};

const server = createServer(async (request, response) => {
  const body = JSON.stringify(await answer(request));
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
});
server.listen(Number(PORT), '127.0.0.1');
