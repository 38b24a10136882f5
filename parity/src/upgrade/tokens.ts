import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../http.js';
import type { Check } from '../part.js';
import { createAdminApi, textOf } from '../world/admin-api.js';
import { login } from '../world/people.js';
import type { Sql } from '../world/sql.js';
import type { World } from '../world/world.js';

type UpgradedServers = { world: World; gateway: string; upstream: string; sql: Sql };

const PATH = '/api/admin/search/events?limit=1';

/** Callers that the gateway rejects although Unleash accepts them, with the row of docs/differences.md. */
const STRICTER: Readonly<Record<string, string>> = { strangeToken: 'D-AUTH-3' };

const statusFor = async (url: string, token: string | null): Promise<number> => {
  const headers: Record<string, string> = token === null ? {} : { authorization: token };
  return (await send(url, { method: 'GET', path: PATH, headers })).status;
};

const checkToken = async (
  { gateway, upstream }: UpgradedServers,
  what: string,
  token: string | null,
  expected?: number,
): Promise<Check> => {
  const [upstreamStatus, gatewayStatus] = [
    await statusFor(upstream, token),
    await statusFor(gateway, token),
  ];
  if (upstreamStatus !== gatewayStatus)
    return { what, difference: `upstream ${upstreamStatus}, the gateway ${gatewayStatus}` };
  const isExpected = expected === undefined || gatewayStatus === expected;
  return isExpected
    ? { what }
    : { what, difference: `both return ${gatewayStatus}, not ${expected}` };
};

const LATER = '2099-01-01T00:00:00.000Z';

/** Upstream writes the session row shortly after its response to the login. */
const makePersonal = async ({ upstream }: UpgradedServers): Promise<string> => {
  const api = createAdminApi(upstream);
  const cookie = await login(upstream, 'alice@example.com');
  const deadline = Date.now() + 5_000;
  for (;;) {
    const created = await api.post(
      '/api/admin/user/tokens',
      { description: 'made after the upgrade', expiresAt: LATER },
      { cookie, tolerates: [401] },
    );
    if (created.status !== 401) return textOf(created, 'secret');
    if (Date.now() > deadline) throw new Error('the session never became valid');
    await delay(50);
  }
};

const makeClient = async ({ upstream }: UpgradedServers): Promise<string> =>
  textOf(
    await createAdminApi(upstream).post('/api/admin/api-tokens', {
      tokenName: 'made after the upgrade',
      type: 'client',
      environment: 'development',
      projects: ['default'],
    }),
    'secret',
  );

const altered = (token: string): string => {
  const last = token.at(-1) === 'A' ? 'B' : 'A';
  return `${token.slice(0, -1)}${last}`;
};

/** The gateway accepts the same tokens as upstream: those from before the upgrade and those of the newer formats. */
export const checkTokens = async (servers: UpgradedServers): Promise<Check[]> => {
  const checks: Check[] = [];
  for (const [caller, token] of Object.entries(servers.world.callers)) {
    const what = `the token of ${caller} after the upgrade`;
    const row = STRICTER[caller];
    if (row === undefined) checks.push(await checkToken(servers, what, token));
    else {
      const gatewayStatus = await statusFor(servers.gateway, token);
      checks.push({
        what: `${what} is rejected (${row})`,
        ...(gatewayStatus !== 403 && { difference: `the gateway returns ${gatewayStatus}` }),
      });
    }
  }

  const personal = await makePersonal(servers);
  const client = await makeClient(servers);
  const isNewKind = personal.startsWith('user:v2_') && client.includes('.v2_');
  checks.push({
    what: 'the upgraded upstream creates tokens of the newer formats',
    ...(!isNewKind && { difference: `${personal.slice(0, 8)} and ${client.slice(0, 24)}` }),
  });
  checks.push(await checkToken(servers, 'a new personal token', personal, 200));
  checks.push(await checkToken(servers, 'a new client token', client, 403));
  checks.push(await checkToken(servers, 'a new personal token, altered', altered(personal), 401));
  checks.push(await checkToken(servers, 'a new client token, altered', altered(client), 401));
  checks.push(await checkToken(servers, 'a new personal token, short', personal.slice(0, -1), 401));
  checks.push(await checkToken(servers, 'a new client token, long', `${client}A`, 401));

  // Stored like an admin token of upstream, which has no route to create one in this format.
  await servers.sql.query(`update api_tokens_v2 set type = 'admin' where token_name = $1`, [
    'made after the upgrade',
  ]);
  const status = await statusFor(servers.gateway, client);
  checks.push({
    what: 'the type of a token is read from the database each time',
    ...(status !== 200 && { difference: `the gateway returns ${status}` }),
  });
  return checks;
};
