import { isPossible } from '../data/access.js';
import { grantsFor, obstaclesOf } from '../data/access-words.js';
import type { BuildOutcome } from '../data/doctor/build-indexes.js';
import type { Findings } from '../data/doctor/examine.js';
import type { Verdict } from '../data/doctor/verdict.js';
import { OPERATIONS } from '../data/needs.js';

/** The findings for a script; keys are never renamed or left out. */
export const toJson = (
  { access, server, layout, ...found }: Findings,
  { status, faults, recommendations, notes }: Verdict,
  built: readonly BuildOutcome[],
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
  events: found.events,
  sequence: found.sequence,
  indexes: found.indexes,
  textIndex: found.textIndex,
  built,
  faults,
  recommendations,
  notes,
});
