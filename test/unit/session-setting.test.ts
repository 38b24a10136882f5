import { expect, test } from 'vitest';
import { decideSessions } from '../../src/auth/session-setting.js';
import type { SessionTable } from '../../src/data/layout/session-table.js';

const attached = (sessionTable: SessionTable) => ({ ownership: 'unleash' as const, sessionTable });

test('leaves sessions off on tables of the gateway itself, unless requested', () => {
  const own = { ownership: 'flaggraph' as const, sessionTable: 'readable' as const };
  expect(decideSessions({ unleashSecret: 'own' }, own)).toMatchObject({ isOn: false });
  expect(decideSessions({ unleashSecret: 'own', sessions: 'on' }, own)).toMatchObject({
    isOn: true,
  });
});

test.each([
  [{}, 'readable', 'UNLEASH_SECRET is not set', null],
  [{ unleashSecret: 'own' }, 'missing', 'no table unleash_session', 'UNLEASH_SECRET'],
  [{ unleashSecret: 'own' }, 'unreadable', '--print-grants', 'UNLEASH_SECRET'],
  [{ unleashSecret: 'own', sessions: 'off' }, 'readable', 'SESSIONS is off', null],
  [{ unleashSecret: 'super-secret' }, 'readable', 'public default', null],
] as const)('leaves sessions off with %j on a %s table', (settings, table, reason, expectedBy) => {
  expect(decideSessions(settings, attached(table))).toEqual({
    isOn: false,
    expectedBy,
    reason: expect.stringContaining(reason),
  });
});

test.each(['missing', 'unreadable'] as const)(
  'reports a conflict when sessions are requested on a %s table',
  (table) => {
    expect(decideSessions({ sessions: 'on', unleashSecret: 'own' }, attached(table))).toMatchObject(
      {
        isOn: false,
        expectedBy: 'SESSIONS',
      },
    );
  },
);

test('accepts sessions with a secret of their own, requested or not', () => {
  const on = { isOn: true, secret: 'own', warning: null };
  expect(decideSessions({ unleashSecret: 'own' }, attached('readable'))).toEqual(on);
  expect(decideSessions({ unleashSecret: 'own', sessions: 'on' }, attached('readable'))).toEqual(
    on,
  );
});

test.each([{}, { unleashSecret: 'super-secret' }])(
  'accepts the public default secret with a warning, when requested',
  (secret) => {
    expect(decideSessions({ sessions: 'on', ...secret }, attached('readable'))).toEqual({
      isOn: true,
      secret: 'super-secret',
      warning: expect.stringContaining('public'),
    });
  },
);
