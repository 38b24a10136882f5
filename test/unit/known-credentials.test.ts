import { expect, test } from 'vitest';
import { limitFailures } from '../../src/auth/limit-failures.js';
import { AuthenticationRequired } from '../../src/domain/errors.js';
import { createTokenBuckets } from '../../src/http/token-bucket.js';
import { adminActor } from '../testkit/actors.js';

const MOST_KNOWN = 10_000;

test('caches a limited number of valid credentials, which are accepted while their address is rate-limited', async () => {
  let isFull = false;
  const { authenticate } = limitFailures(
    async ({ credentials }) => {
      if (credentials?.value.startsWith('wrong')) throw AuthenticationRequired.badToken();
      return adminActor;
    },
    { failures: { take: () => (isFull ? 1 : 0), refund: () => undefined } },
  );
  const call = (value: string) =>
    authenticate({ credentials: { kind: 'token', value }, hasCookie: false, ip: '203.0.113.7' });

  for (let index = 0; index <= MOST_KNOWN; index += 1) await call(`token ${index}`);
  isFull = true;
  expect(await call(`token ${MOST_KNOWN}`)).toBe(adminActor);
  expect(await call('token 1')).toBe(adminActor);
  await expect(call('token 0')).rejects.toMatchObject({ name: 'RateLimitError' });
  await expect(call('wrong')).rejects.toMatchObject({ name: 'RateLimitError' });
});

test('a burst of unknown credentials causes only as many lookups as failures are allowed', async () => {
  let lookups = 0;
  const { authenticate } = limitFailures(
    async ({ credentials }) => {
      lookups += 1;
      await Promise.resolve();
      if (credentials?.value.startsWith('wrong')) throw AuthenticationRequired.badToken();
      return adminActor;
    },
    { failures: createTokenBuckets({ points: 5, windowMs: 60_000 }) },
  );
  const call = (value: string) =>
    authenticate({ credentials: { kind: 'token', value }, hasCookie: false, ip: '203.0.113.7' });

  for (let index = 0; index < 20; index += 1) expect(await call(`token ${index}`)).toBe(adminActor);
  lookups = 0;
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      call(`wrong ${index}`).catch((error: Error) => error.name),
    ),
  );
  expect(lookups).toBe(5);
  expect(outcomes.filter((name) => name === 'RateLimitError')).toHaveLength(25);
});

test('cookies that cannot be used are counted apart from requests without credentials', async () => {
  const reasons: string[] = [];
  const { authenticate } = limitFailures(() => Promise.reject(AuthenticationRequired.noToken()), {
    failures: null,
    onFailure: (reason) => reasons.push(reason),
  });
  for (const hasCookie of [false, true])
    await expect(authenticate({ credentials: null, hasCookie, ip: null })).rejects.toThrow();
  expect(reasons).toEqual(['no_credentials', 'invalid_cookie']);
});
