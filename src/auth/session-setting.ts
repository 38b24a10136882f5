import type { Database } from '../data/connect.js';
import type { SessionTable } from '../data/session-table.js';
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
  /** `isConflict`: sessions were requested but can't work. */
  | { isOn: false; reason: string; isConflict: boolean };

const off = (reason: string, isConflict = false): SessionDecision => ({
  isOn: false,
  reason,
  isConflict,
});

const TABLE_PROBLEM: Readonly<Record<Exclude<SessionTable, 'readable'>, string>> = {
  missing: 'the database has no table unleash_session',
  unreadable:
    'the database user may not read unleash_session; grant it SELECT (sid, sess, expired)',
};

/** Why the gateway does not start with these settings. */
export const sessionConflict = ({ reason }: { reason: string }): string =>
  `SESSIONS is on, but ${reason}.`;

/** Decides whether Unleash's sign-in cookie is accepted, with the reason if not. */
export const decideSessions = (
  { sessions, unleashSecret }: SessionSettings,
  { ownership, sessionTable: table }: SessionDatabase,
): SessionDecision => {
  const isRequested = sessions === 'on';
  if (sessions === 'off') return off('SESSIONS is off');
  if (!isRequested && ownership !== 'original') return off('Unleash does not own the database');
  if (table !== 'readable' && (isRequested || unleashSecret !== undefined)) {
    return off(TABLE_PROBLEM[table], isRequested);
  }
  if (isRequested) {
    const secret = unleashSecret ?? DEFAULT_SECRET;
    const warning =
      secret === DEFAULT_SECRET
        ? "Sign-in cookies are verified with Unleash's default secret, which is public. Set UNLEASH_SECRET on Unleash and on the gateway."
        : null;
    return { isOn: true, secret, warning };
  }
  if (unleashSecret === undefined) return off('UNLEASH_SECRET is not set');
  if (unleashSecret === DEFAULT_SECRET) {
    return off("UNLEASH_SECRET is Unleash's public default; set SESSIONS=on to accept it");
  }
  return { isOn: true, secret: unleashSecret, warning: null };
};
