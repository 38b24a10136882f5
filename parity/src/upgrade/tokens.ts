import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../http.js';
import type { Check } from '../part.js';
import { createAdminApi, textOf } from '../world/admin-api.js';
import { login } from '../world/people.js';
import type { Sql } from '../world/sql.js';
import type { World } from '../world/world.js';

type Place = { world: World; gateway: string; original: string; sql: Sql };

const PATH = '/api/admin/search/events?limit=1';

/** Where the gateway judges a token otherwise on purpose; see docs/differences.md. */
const DELIBERATE: readonly string[] = ['badEmail'];

const statusFor = async (url: string, token: string | null): Promise<number> => {
  const headers: Record<string, string> = token === null ? {} : { authorization: token };
  return (await send(url, { method: 'GET', path: PATH, headers })).status;
};

const judge = async (
  { gateway, original }: Place,
  what: string,
  token: string | null,
  expected?: number,
): Promise<Check> => {
  const [theirs, ours] = [await statusFor(original, token), await statusFor(gateway, token)];
  if (theirs !== ours) return { what, difference: `the original ${theirs}, the gateway ${ours}` };
  const isExpected = expected === undefined || ours === expected;
  return isExpected ? { what } : { what, difference: `both answer ${ours}, not ${expected}` };
};

const LATER = '2099-01-01T00:00:00.000Z';

/** The row of a session is written a moment after the answer to the login. */
const makePersonal = async ({ original }: Place): Promise<string> => {
  const api = createAdminApi(original);
  const cookie = await login(original, 'alice@example.com');
  const deadline = Date.now() + 5_000;
  for (;;) {
    const made = await api.post(
      '/api/admin/user/tokens',
      { description: 'made after the upgrade', expiresAt: LATER },
      { cookie, tolerates: [401] },
    );
    if (made.status !== 401) return textOf(made, 'secret');
    if (Date.now() > deadline) throw new Error('the session never became valid');
    await delay(50);
  }
};

const makeClient = async ({ original }: Place): Promise<string> =>
  textOf(
    await createAdminApi(original).post('/api/admin/api-tokens', {
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

/** Tokens from before the upgrade, and those of the newer kinds the upgraded original makes, count here as there. */
export const judgeTokens = async (place: Place): Promise<Check[]> => {
  const checks: Check[] = [];
  for (const [caller, token] of Object.entries(place.world.callers)) {
    if (DELIBERATE.includes(caller)) continue;
    checks.push(await judge(place, `the token of ${caller} after the upgrade`, token));
  }

  const personal = await makePersonal(place);
  const client = await makeClient(place);
  const isNewKind = personal.startsWith('user:v2_') && client.includes('.v2_');
  checks.push({
    what: 'the upgraded original makes tokens of the newer kinds',
    ...(!isNewKind && { difference: `${personal.slice(0, 8)} and ${client.slice(0, 24)}` }),
  });
  checks.push(await judge(place, 'a new personal token', personal, 200));
  checks.push(await judge(place, 'a new client token', client, 403));
  checks.push(await judge(place, 'a new personal token, altered', altered(personal), 401));
  checks.push(await judge(place, 'a new client token, altered', altered(client), 401));
  checks.push(await judge(place, 'a new personal token, cut', personal.slice(0, -1), 401));
  checks.push(await judge(place, 'a new client token, prolonged', `${client}A`, 401));

  // As the original would keep an admin token; its own route makes none of that kind.
  await place.sql.query(`update api_tokens_v2 set type = 'admin' where token_name = $1`, [
    'made after the upgrade',
  ]);
  const status = await statusFor(place.gateway, client);
  checks.push({
    what: 'the type of a token is read from the database each time',
    ...(status !== 200 && { difference: `the gateway answers ${status}` }),
  });
  return checks;
};
