import type { PostgresServer } from '../servers/postgres.js';
import { type Call, graphqlCall, type HttpResponse, outcomeOf, send } from './http.js';
import { percentile } from './statistics.js';

export const SOURCE = 'feature-00101';
/** A project that the honest client does not read. */
export const TARGET = 'stock';

export type Transport = 'REST' | 'GraphQL';

export const cloneCall = (
  transport: Transport,
  {
    name,
    token,
    key,
    source = SOURCE,
    target = TARGET,
  }: { name: string; token: string; key?: string; source?: string; target?: string },
): Call =>
  transport === 'REST'
    ? {
        path: `/api/admin/projects/${target}/features/${source}/clone`,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: token,
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body: JSON.stringify({ name }),
      }
    : graphqlCall(
        `mutation ($input: CloneFeatureInput!) { cloneFeature(input: $input) {
          __typename ... on CloneFeaturePayload { feature { name } } ... on Error { name } } }`,
        {
          token,
          variables: {
            input: {
              featureName: source,
              targetProjectId: target,
              newName: name,
              ...(key !== undefined && { idempotencyKey: key }),
            },
          },
        },
      );

/** `200` for a copy; otherwise the status, or the name of the error that GraphQL returns with status 200. */
export const cloneOutcome = (response: HttpResponse): string => {
  const outcome = outcomeOf(response);
  if (outcome !== 'ok') return outcome;
  const [, refusal] = /"__typename":"(\w+Error)"/.exec(response.text) ?? [];
  return refusal === 'NameExistsError' ? '409' : (refusal ?? '200');
};

type Rows = { name: string; rows: string };

/** Number of rows of each name in every table that a clone writes to. */
const rowsOf = async (
  server: PostgresServer,
  database: string,
  names: readonly string[],
): Promise<Rows[]> =>
  server.query<Rows>(
    database,
    `select n as name, concat_ws('/',
       (select count(*) from features where name = n),
       (select count(*) from feature_environments where feature_name = n),
       (select count(*) from feature_strategies where feature_name = n),
       (select count(*) from feature_strategy_segment g join feature_strategies s on s.id = g.feature_strategy_id
        where s.feature_name = n),
       (select count(*) from events where feature_name = n and type = 'feature-created'),
       (select count(*) from events where feature_name = n)) as rows
     from unnest($1::text[]) n`,
    [names],
  );

const NOTHING = '0/0/0/0/0/0';

/** Names of partial copies: rows exist, but differ from the reference copy. */
export const partialClones = async (
  server: PostgresServer,
  database: string,
  reference: string,
  names: readonly string[],
): Promise<{ partial: string[]; complete: string[] }> => {
  const [complete] = await rowsOf(server, database, [reference]);
  const found = await rowsOf(server, database, names);
  return {
    partial: found
      .filter(({ rows }) => rows !== complete?.rows && rows !== NOTHING)
      .map(({ rows }) => rows),
    complete: found.filter(({ rows }) => rows === complete?.rows).map(({ name }) => name),
  };
};

/** Duration of one clone on a warm gateway, in milliseconds. */
export const cloneTime = async (url: string, token: string, label: string): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const startedAt = performance.now();
    await send(url, cloneCall('REST', { name: `${label}-time-${round}`, token }));
    times.push(performance.now() - startedAt);
  }
  return percentile(times, 0.5);
};
