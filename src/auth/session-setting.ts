import type { Database } from '../data/connect.js';
import type { SessionTable } from '../data/layout/session-table.js';
import { DEFAULT_SECRET } from './session-cookie.js';

export type SessionSettings = {
  /** SESSIONS. If undefined, the gateway decides. */
  sessions?: 'on' | 'off';
  /** UNLEASH_SECRET. */
  unleashSecret?: string;
};

type SessionDatabase = Pick<Database, 'ownership' | 'sessionTable'>;

export type SessionDecision =
  | { isOn: true; secret: string; warning: string | null }
  /** `expectedBy`: the setting that says that sessions should work. Null if none does. */
  | { isOn: false; reason: string; expectedBy: 'SESSIONS' | 'UNLEASH_SECRET' | null };

export type SessionsOff = Extract<SessionDecision, { isOn: false }>;
export type SessionsOn = Extract<SessionDecision, { isOn: true }>;

const off = (reason: string, expectedBy: SessionsOff['expectedBy'] = null): SessionDecision => ({
  isOn: false,
  reason,
  expectedBy,
});

const TABLE_PROBLEM: Readonly<Record<Exclude<SessionTable, 'readable'>, string>> = {
  missing: 'the database has no table unleash_session',
  unreadable:
    'the database user may not read unleash_session; run the statements of `flaggraph doctor --print-grants` and restart the gateway',
};

/** Sessions were requested but can't work, so the gateway does not start. */
export const isConflict = ({ expectedBy }: SessionsOff): boolean => expectedBy === 'SESSIONS';

/** What is wrong with these settings, or why sessions are off. */
export const describeOff = ({ reason, expectedBy }: SessionsOff): string => {
  switch (expectedBy) {
    case 'SESSIONS':
      return `SESSIONS is on, but ${reason}.`;
    case 'UNLEASH_SECRET':
      return `UNLEASH_SECRET is set, but sign-in sessions of Unleash are not accepted: ${reason}.`;
    case null:
      return `Sign-in sessions of Unleash are not accepted: ${reason}.`;
  }
};

/** Decides whether Unleash's sign-in cookie is accepted, with the reason if not. */
export const decideSessions = (
  { sessions, unleashSecret }: SessionSettings,
  { ownership, sessionTable: table }: SessionDatabase,
): SessionDecision => {
  const isRequested = sessions === 'on';
  if (sessions === 'off') return off('SESSIONS is off');
  if (!isRequested && ownership !== 'unleash') return off('Unleash does not own the database');
  if (table !== 'readable' && (isRequested || unleashSecret !== undefined)) {
    return off(TABLE_PROBLEM[table], isRequested ? 'SESSIONS' : 'UNLEASH_SECRET');
  }
  if (isRequested) {
    const secret = unleashSecret ?? DEFAULT_SECRET;
    const warning =
      secret === DEFAULT_SECRET
        ? 'Sign-in sessions of Unleash are accepted, but with its default secret, which is public. Set UNLEASH_SECRET on Unleash and on the gateway.'
        : null;
    return { isOn: true, secret, warning };
  }
  if (unleashSecret === undefined) return off('UNLEASH_SECRET is not set');
  if (unleashSecret === DEFAULT_SECRET) {
    return off("UNLEASH_SECRET is Unleash's public default; set SESSIONS=on to accept it");
  }
  return { isOn: true, secret: unleashSecret, warning: null };
};
