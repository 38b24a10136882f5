import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToken } from '../../../src/cli/create-token.js';
import { openDatabase } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { createMigratedDatabase } from '../../testkit/database.js';

const AUDITS = 61;

const cleanUps: (() => Promise<void>)[] = [];
let gateway: Gateway;
let token: string;
beforeAll(async () => {
  const { url, drop } = await createMigratedDatabase();
  cleanUps.push(drop);
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  cleanUps.push(database.close);
  token = await createToken(database.client, { kind: 'admin', name: 'auditor' });
  gateway = await startGateway(database);
  cleanUps.push(gateway.stop);
});
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

const fetchWithToken: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('authorization', token);
  return fetch(input, { ...init, headers });
};

describe.each([
  ['without a token', fetch],
  ['with a token', fetchWithToken],
])('GraphQL over HTTP %s', (_caller, fetchFn) => {
  const audits = serverAudits({ url: () => `${gateway.url}/graphql`, fetchFn });

  test('runs all audits', () => {
    expect(new Set(audits.map(({ id }) => id)).size).toBe(AUDITS);
  });

  test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
    '%s: %s',
    async (_id, _name, audit) => {
      const result = await audit.fn();
      const reason = 'reason' in result ? result.reason : 'fulfilled';
      expect([result.status, reason]).toEqual(['ok', 'fulfilled']);
    },
  );
});
