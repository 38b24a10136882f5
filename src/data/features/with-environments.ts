import type { Environment } from '../db.js';
import { indexBy } from '../grouping.js';

/** Joins rows to the environments they name. Drops rows whose environment is missing. */
export const withEnvironments = <Row extends { environmentName: string }>(
  rows: readonly Row[],
  environments: readonly Environment[],
): (Row & { environment: Environment })[] => {
  const named = indexBy(environments, ({ name }) => name);
  return rows.flatMap((row) => {
    const environment = named.get(row.environmentName);
    return environment ? [Object.assign(row, { environment })] : [];
  });
};
