import { qualifiedName, quoteName } from '../sql/sql-names.js';
import type { FoundSequence, Right } from './access.js';
import type { FoundColumn, TableOf } from './layout.js';
import {
  CLONE_INCLUDE_REQUIREMENTS,
  HISTORY_REQUIREMENTS,
  OPERATIONS,
  type OptionalRequirement,
  REQUIREMENTS,
  SESSION_REQUIREMENT,
  type TableColumns,
} from './requirements.js';

/** A privilege on columns of a table, or on a sequence, which has no columns. */
export type Grant = { right: Right; name: string; columns: readonly string[] };

/** Privileges that a database role needs, by purpose. */
export type Grants = {
  reading: Grant[];
  /** Empty where Unleash stores no sessions. */
  sessions: Grant[];
  cloning: Grant[];
  /** For clones with `include`. */
  cloneIncludes: Grant[];
};

const grantOf =
  (right: Right) =>
  ({ table, columns }: TableColumns): Grant => ({ right, name: table, columns });

const grantsOf = (need: OptionalRequirement): Grant[] =>
  need.rights.map((right) => grantOf(right)(need));

const isReadOnly = ({ rights }: OptionalRequirement) => rights.every((right) => right === 'SELECT');

/** Merges grants into one per privilege and table, with the union of their columns. */
const merge = (grants: readonly Grant[]): Grant[] => {
  const merged = new Map<string, Grant>();
  for (const { right, name, columns } of grants) {
    const key = `${right} ${name}`;
    const all = new Set([...(merged.get(key)?.columns ?? []), ...columns]);
    merged.set(key, { right, name, columns: [...all] });
  }
  return [...merged.values()];
};

/** GRANT statements, ordered by table name. */
export const grantStatements = (
  grants: readonly Grant[],
  { role, schema }: { role: string; schema: string },
): string[] =>
  merge(grants)
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    .map(({ right, name, columns }) => {
      const listed = columns.length === 0 ? '' : ` (${columns.map(quoteName).join(', ')})`;
      const object = right === 'USAGE' ? 'SEQUENCE ' : '';
      return `GRANT ${right}${listed} ON ${object}${qualifiedName(schema, name)} TO ${role};`;
    });

/** Exactly the privileges that the gateway needs on tables with these columns. */
export const requiredGrants = (
  tableOf: TableOf,
  found: readonly FoundColumn[],
  sequences: readonly FoundSequence[],
): Grants => {
  const requirements = OPERATIONS.map((name) => REQUIREMENTS[name]);
  const present = new Set(found.map(({ table, column }) => `${table}.${column}`));
  const optional = requirements
    .flatMap(({ ifPresent }) => ifPresent)
    .filter(({ onlyWith }) => onlyWith === undefined || present.has(onlyWith));
  const existing = (grants: readonly Grant[]) =>
    grants
      .map((grant) => ({
        ...grant,
        columns: grant.columns.filter((column) => present.has(`${grant.name}.${column}`)),
      }))
      .filter(({ columns }) => columns.length > 0);

  const cloning = existing([
    ...requirements.flatMap(({ inserts }) => inserts).map(grantOf('INSERT')),
    ...optional.filter((need) => !isReadOnly(need)).flatMap(grantsOf),
  ]);
  const isInserted = (table: string) =>
    cloning.some(({ right, name }) => right === 'INSERT' && name === table);

  return {
    reading: existing([
      ...requirements.flatMap(({ reads }) => reads.map(tableOf)).map(grantOf('SELECT')),
      ...[...HISTORY_REQUIREMENTS, ...optional.filter(isReadOnly)].flatMap(grantsOf),
    ]),
    sessions: existing(grantsOf(SESSION_REQUIREMENT)),
    cloning: [
      ...cloning,
      ...sequences
        .filter(({ table }) => isInserted(table))
        .map(({ name }): Grant => ({ right: 'USAGE', name, columns: [] })),
    ],
    cloneIncludes: existing(Object.values(CLONE_INCLUDE_REQUIREMENTS).flatMap(grantsOf)),
  };
};
