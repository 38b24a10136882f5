import { quoteName } from '../sql/sql-names.js';
import { type Access, isPossible, type MissingRight, type Right } from './access.js';
import { grantStatements } from './grants.js';
import { OPERATIONS, type OperationName } from './requirements.js';

/** Display names of the operations. */
export const OPERATION_LABELS: Readonly<Record<OperationName, string>> = {
  authentication: 'authentication',
  searchEvents: 'event search',
  healthReport: 'health report',
  integrationEvents: 'integration events',
  cloneFeature: 'clone',
  featureUsage: 'feature usage',
  plannedChanges: 'release plans and change requests',
};

const RIGHTS: readonly Right[] = ['SELECT', 'INSERT', 'UPDATE', 'USAGE'];

const listed = (columns: readonly string[]): string =>
  columns.length === 0 ? '' : ` (${columns.map(quoteName).join(', ')})`;

/** `SELECT on events, users (email)`, one entry per privilege. */
const lackedRights = (rights: readonly MissingRight[]): string[] =>
  RIGHTS.flatMap((right) => {
    const names = rights
      .filter((lacked) => lacked.right === right)
      .map(({ name, columns }) => `${name}${listed(columns)}`);
    return names.length === 0 ? [] : [`${right} on ${names.join(', ')}`];
  });

/** Reasons why an operation is impossible, each phrased to follow a colon. Empty if it works. */
export const obstaclesOf = (access: Access, operation: OperationName): string[] => {
  const found = access.operations[operation];
  const absent = [...found.tables.map((table) => `table ${table}`), ...found.columns];
  const lacked = lackedRights(found.rights).join('; ');
  const user = `the database user '${access.role}'`;
  return [
    ...(found.isWriteBlocked ? [refusalOf(access)] : []),
    ...(absent.length > 0 ? [`the database lacks ${absent.join(', ')}`] : []),
    ...(lacked === ''
      ? []
      : [
          found.isRoleReadOnly
            ? `${user} has a read-only role: no ${lacked}`
            : `${user} has no ${lacked}`,
        ]),
  ];
};

const refusalOf = ({ isReplica }: Access): string =>
  isReplica
    ? 'the database is a read replica'
    : 'the database is read-only for this user (default_transaction_read_only is on)';

/** GRANT statements for the missing privileges, to be run by the owner of the tables. */
export const grantsFor = ({ role, schema, operations }: Access): string[] =>
  grantStatements(
    OPERATIONS.flatMap((operation) => operations[operation].rights).map(
      ({ right, name, needed }) => ({ right, name, columns: needed }),
    ),
    { role: quoteName(role), schema },
  );

/** One sentence per unavailable operation. */
export const warningsOf = (access: Access): string[] =>
  OPERATIONS.filter((operation) => !isPossible(access.operations[operation])).map(
    (operation) =>
      `Not available on this database: ${OPERATION_LABELS[operation]} (${obstaclesOf(access, operation).join('; ')}).`,
  );
