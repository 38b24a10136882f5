import { login } from '../world/people.js';
import type { Checks } from './checks.js';
import {
  at,
  CLONE_BY,
  type CloneResponse,
  cloneByRest,
  sendRequest,
  TRANSPORTS,
} from './requests.js';
import { FULL_SOURCE, type Stage } from './stage.js';
import { until } from './watch.js';

const SESSION_LIMIT_MS = 5_000;

/** Tries to clone over both transports; returns both responses of the gateway. */
const tryClones = async (
  stage: Stage,
  authorization: string,
  name: string,
  source: string = FULL_SOURCE,
): Promise<CloneResponse[]> => {
  const responses: CloneResponse[] = [];
  for (const transport of TRANSPORTS) {
    const request = { source, name: `${name}-${transport}`, authorization };
    responses.push(await CLONE_BY[transport](stage.gateway.url, request));
  }
  return responses;
};

/** GraphQL has codes for errors that are not members of the result. */
const refusedAs = (responses: readonly CloneResponse[], errors: readonly string[]): string[] =>
  responses.flatMap(({ error, status, text }, index) =>
    error === errors[index] ? [] : [`${TRANSPORTS[index]}: ${status} ${text.slice(0, 300)}`],
  );

const accepted = (responses: readonly CloneResponse[]): string[] => refusedAs(responses, ['', '']);

const archivedSource = async (stage: Stage, checks: Checks, label: string) => {
  const name = `${label}-archived`;
  const authorization = stage.as('adminToken');
  await stage.api('POST', '/api/admin/projects/default/features', { name, type: 'release' });
  await stage.api('DELETE', `/api/admin/projects/default/features/${name}`);

  const gatewayResponses = await tryClones(stage, authorization, `${name}-copy`, name);
  const upstreamResponse = await cloneByRest(stage.upstream().url, {
    source: name,
    name: `${name}-theirs`,
    authorization,
  });
  const expected = [upstreamResponse.error, upstreamResponse.error];
  checks.none(
    'cloning a source that upstream archived returns the error of upstream',
    refusedAs(gatewayResponses, expected),
  );

  const response = await CLONE_BY.REST(stage.gateway.url, {
    source: FULL_SOURCE,
    name,
    authorization,
  });
  checks.none(
    'the name of a feature that upstream archived is taken',
    response.error === 'NameExistsError' ? [] : [`${response.status} ${response.text}`],
  );
};

const FORBIDDEN = ['NoAccessError', 'NoAccessError'];

const changedRole = async (stage: Stage, checks: Checks, label: string) => {
  const roles = await stage.sql.query<{ id: number; name: string }>('select id, name from roles');
  const give = (role: string) =>
    stage.api('PUT', `/api/admin/user-admin/${stage.world.userIds['viewer']}`, {
      name: 'Vera Viewer',
      rootRole: roles.find(({ name }) => name === role)?.id,
    });
  const authorization = stage.as('viewer');
  const wrong = refusedAs(await tryClones(stage, authorization, `${label}-viewer`), FORBIDDEN);
  await give('Editor');
  wrong.push(...accepted(await tryClones(stage, authorization, `${label}-promoted`)));
  await give('Viewer');
  wrong.push(...refusedAs(await tryClones(stage, authorization, `${label}-demoted`), FORBIDDEN));
  checks.none('a role that upstream grants or revokes takes effect immediately', wrong);
};

const UNAUTHENTICATED = ['UNAUTHENTICATED', 'AuthenticationRequired'];

/** Upstream writes the session row shortly after its response to the login. */
const makeToken = async (stage: Stage, cookie: string, description: string) => {
  const body = { description, expiresAt: '2099-01-01T00:00:00.000Z' };
  const url = `${stage.upstream().url}/api/admin/user/tokens`;
  const created = await until(SESSION_LIMIT_MS, async () => {
    const response = await sendRequest(url, { method: 'POST', cookie, body });
    return response.status === 201 ? response.json : undefined;
  });
  if (!created) throw new Error('could not create a personal token');
  return { secret: String(at(created, 'secret')), id: at(created, 'id') };
};

/** Retries once, because a reused connection may be closing. */
const signIn = (stage: Stage): Promise<string> => {
  const attempt = () => login(stage.upstream().url, 'eddie@example.com');
  return attempt().catch(attempt);
};

const removedTokens = async (stage: Stage, checks: Checks, label: string) => {
  const cookie = await signIn(stage);
  const personal = await makeToken(stage, cookie, label);
  const wrong = accepted(await tryClones(stage, personal.secret, `${label}-personal`));
  await stage.api('DELETE', `/api/admin/user/tokens/${personal.id}`, undefined, cookie);
  const rejected = await tryClones(stage, personal.secret, `${label}-personal-again`);
  wrong.push(...refusedAs(rejected, UNAUTHENTICATED));
  checks.none(
    'a personal token works once upstream creates it and is rejected once deleted',
    wrong,
  );

  const secret = `*:*.${label}-token`;
  await stage.sql.insert('api_tokens', [
    { secret, type: 'admin', environment: '*', token_name: label, username: label },
  ]);
  const wrongApi = accepted(await tryClones(stage, secret, `${label}-api`));
  await stage.api('DELETE', `/api/admin/api-tokens/${encodeURIComponent(secret)}`);
  const refusedApi = await tryClones(stage, secret, `${label}-api-again`);
  wrongApi.push(...refusedAs(refusedApi, UNAUTHENTICATED));
  checks.none('an API token that upstream deleted is rejected immediately', wrongApi);
};

/** Changes by upstream to features, roles and tokens take effect at the gateway immediately. */
export const authority = async (stage: Stage, checks: Checks, label: string): Promise<void> => {
  await archivedSource(stage, checks, label);
  await changedRole(stage, checks, label);
  await removedTokens(stage, checks, label);
};

/** The gateway rejects clones while upstream is in maintenance mode. */
export const maintenance = async (stage: Stage, checks: Checks, label: string): Promise<void> => {
  const authorization = stage.as('adminToken');
  const setMaintenance = (enabled: boolean) =>
    stage.api('POST', '/api/admin/maintenance', { enabled });
  await setMaintenance(true);
  const rejected = await tryClones(stage, authorization, `${label}-during`);
  const wrong = refusedAs(rejected, ['MaintenanceModeError', 'MaintenanceModeError']);
  if (rejected[1]?.status !== 503) wrong.push(`REST: ${rejected[1]?.status} instead of 503`);
  await setMaintenance(false);
  wrong.push(...accepted(await tryClones(stage, authorization, `${label}-after`)));
  checks.none('clones are rejected during upstream maintenance mode and work again after', wrong);
};
