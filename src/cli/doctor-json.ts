import type { SessionDecision } from '../auth/session-setting.js';
import type { BuildOutcome } from '../data/doctor/build-indexes.js';
import type { Diagnosis } from '../data/doctor/diagnosis.js';
import type { Findings } from '../data/doctor/examine.js';
import { isPossible } from '../data/layout/access.js';
import { grantsFor, obstaclesOf } from '../data/layout/access-messages.js';
import { OPERATIONS } from '../data/layout/requirements.js';
import type { InspectedReplica } from '../data/replicas/inspect-replica.js';
import type { ConsoleDecision } from '../pages/console-setting.js';

/** The findings for scripts. Keys are never renamed or omitted. */
export const toJson = (
  { access, server, layout, ...found }: Findings,
  { status, faults, recommendations, notes }: Diagnosis,
  {
    built,
    sessions,
    replicas,
    console,
  }: {
    built: readonly BuildOutcome[];
    sessions: SessionDecision;
    replicas: readonly InspectedReplica[];
    console: ConsoleDecision;
  },
) => ({
  status,
  database: {
    kind: found.kind,
    place: found.place,
    schema: found.schema,
    role: access.role,
    serverVersion: server.version,
    isReplica: access.isReplica,
    isReadOnly: access.isReadOnly,
    encoding: server.encoding,
    collation: server.collation,
    ctype: server.ctype,
    timeZone: found.timeZone,
  },
  replicas,
  layout,
  operations: Object.fromEntries(
    OPERATIONS.map((name) => {
      const { tables, columns, rights } = access.operations[name];
      const isWorking = isPossible(access.operations[name]);
      const obstacles = obstaclesOf(access, name);
      return [
        name,
        {
          isPossible: isWorking,
          missingTables: tables,
          missingColumns: columns,
          missingRights: rights,
          obstacles,
        },
      ];
    }),
  ),
  grants: grantsFor(access),
  sessions: sessions.isOn
    ? { isOn: true, reason: null, warning: sessions.warning }
    : { isOn: false, reason: sessions.reason, warning: null },
  console: console.isOn ? { isOn: true, reason: null } : console,
  privateProjects: found.privateProjects,
  events: found.events,
  sequence: found.sequence,
  indexes: found.indexes,
  textIndex: found.textIndex,
  built,
  faults,
  recommendations,
  notes,
});
