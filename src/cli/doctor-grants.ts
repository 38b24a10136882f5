import { decideSessions, type SessionSettings } from '../auth/session-setting.js';
import type { FoundLayout } from '../data/doctor/find-layout.js';
import type { ReadGrants } from '../data/doctor/read-grants.js';
import { type Grant, grantStatements } from '../data/layout/grants.js';
import { qualifiedName, quoteName } from '../data/sql/sql-names.js';

const layoutName = (layout: FoundLayout): string => {
  if (layout.owner !== 'unleash') return 'tables of the gateway';
  return layout.unleash ? `Unleash ${layout.unleash.version}` : 'Unleash, version unknown';
};

const SETTINGS_NOTE =
  "-- Grants cannot restrict rows. Of settings, only 'instanceInfo' and 'maintenance.mode' are read.";

/** Whether these settings accept the cookie once its table is readable. */
const usesSessions = ({ layout, grants }: ReadGrants, settings: SessionSettings): boolean =>
  decideSessions(settings, {
    ownership: layout.owner === 'unleash' ? 'unleash' : 'flaggraph',
    sessionTable: grants.sessions.length > 0 ? 'readable' : 'missing',
  }).isOn;

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `-- ${title}`, ...lines];

export type GrantScriptOptions = {
  /** Omits cloning. */
  isReadOnly: boolean;
  /** Decide whether the grants for sign-in sessions are included or commented out. */
  settings: SessionSettings;
};

/** A script for psql, with a heading per purpose. */
export const grantScript = (
  found: ReadGrants,
  { isReadOnly, settings }: GrantScriptOptions,
): string[] => {
  const { layout, schema, role, grants } = found;
  const statements = (list: readonly Grant[]) => grantStatements(list, { role, schema });
  const reading = statements(grants.reading).flatMap((statement) =>
    /\bON (\S+\.)?settings\b/.test(statement) ? [SETTINGS_NOTE, statement] : [statement],
  );
  const sessions = statements(grants.sessions);
  return [
    `-- ${layoutName(layout)}, schema ${schema}. Run as the owner of the tables. After each upgrade, print and run it again.`,
    ...section('Reading', [`GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${role};`, ...reading]),
    ...(usesSessions(found, settings)
      ? section('Sign-in sessions', sessions)
      : section(
          'Sign-in sessions: needed only with UNLEASH_SECRET or SESSIONS=on',
          layout.owner === 'unleash' ? sessions.map((statement) => `-- ${statement}`) : [],
        )),
    ...(layout.owner === 'unleash'
      ? section('Names of personal tokens in the log: optional', [
          `-- GRANT SELECT (description) ON ${qualifiedName(schema, 'personal_access_tokens')} TO ${role};`,
        ])
      : []),
    ...(isReadOnly
      ? []
      : [
          ...section('Cloning', statements(grants.cloning)),
          ...section('Cloning with include: [TAGS, FAVORITE]', statements(grants.cloneIncludes)),
        ]),
  ];
};
