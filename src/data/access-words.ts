import { type Access, isPossible, type MissingRight, type Right } from './access.js';
import { OPERATIONS, type OperationName } from './needs.js';
import { qualifiedName, quoteName } from './sql-names.js';

/** What people call the operations. */
export const OPERATION_WORDS: Readonly<Record<OperationName, string>> = {
  authentication: 'authentication',
  searchEvents: 'event search',
  healthReport: 'health report',
  integrationEvents: 'integration events',
  cloneFeature: 'clone',
};

const RIGHTS: readonly Right[] = ['SELECT', 'INSERT', 'UPDATE', 'USAGE'];

const listed = (columns: readonly string[]): string =>
  columns.length === 0 ? '' : ` (${columns.map(quoteName).join(', ')})`;

/** `SELECT on events, users (email)` for each kind of right. */
const lackedRights = (rights: readonly MissingRight[]): string[] =>
  RIGHTS.flatMap((right) => {
    const names = rights
      .filter((lacked) => lacked.right === right)
      .map(({ name, columns }) => `${name}${listed(columns)}`);
    return names.length === 0 ? [] : [`${right} on ${names.join(', ')}`];
  });

/** Why an operation cannot work, each reason fit to follow a colon; none when it can. */
export const obstaclesOf = (access: Access, operation: OperationName): string[] => {
  const found = access.operations[operation];
  const absent = [...found.tables.map((table) => `table ${table}`), ...found.columns];
  const lacked = lackedRights(found.rights).join('; ');
  const user = `the database user '${access.role}'`;
  return [
    ...(found.isWriteRefused ? [refusalOf(access)] : []),
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
    ? 'the database is a replica, which takes no writes'
    : 'the database takes only reads from this user (default_transaction_read_only is on)';

/** The statements that give the user of the database what he lacks, for the owner of the tables to run. */
export const grantsFor = ({ role, schema, operations }: Access): string[] => {
  const rights = OPERATIONS.flatMap((operation) => operations[operation].rights);
  const grants = RIGHTS.flatMap((right) => {
    const lacked = rights.filter((one) => one.right === right);
    const whole = new Set(
      lacked.filter(({ columns }) => columns.length === 0).map(({ name }) => name),
    );
    const names = [...whole].map((name) => qualifiedName(schema, name)).join(', ');
    const objects = right === 'USAGE' ? `SEQUENCE ${names}` : names;
    return [
      ...(whole.size > 0 ? [`GRANT ${right} ON ${objects} TO ${quoteName(role)};`] : []),
      ...lacked
        .filter(({ columns }) => columns.length > 0)
        .map(
          ({ name, columns }) =>
            `GRANT ${right}${listed(columns)} ON ${qualifiedName(schema, name)} TO ${quoteName(role)};`,
        ),
    ];
  });
  return [...new Set(grants)];
};

/** One sentence per operation that will be refused. */
export const warningsOf = (access: Access): string[] =>
  OPERATIONS.filter((operation) => !isPossible(access.operations[operation])).map(
    (operation) =>
      `On this database ${OPERATION_WORDS[operation]} is not possible: ${obstaclesOf(access, operation).join('; ')}.`,
  );
