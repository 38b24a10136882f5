import type { Connection } from '../connection.js';
import { type FoundLayout, findLayout } from '../doctor/find-layout.js';
import { type Access, isPossible, readAccess } from './access.js';
import { obstaclesOf } from './access-messages.js';
import { checkLayout, neededColumns, tableOf } from './layout.js';
import { LayoutError } from './layout-error.js';
import { type MigrateResult, migrate } from './migrate.js';
import { OPERATIONS } from './requirements.js';
import { readSessionTable, type SessionTable } from './session-table.js';

export type PrepareOptions = {
  /** False rejects a database with pending migrations instead of applying them. Default: true. */
  migrate?: boolean | undefined;
  /** True rejects an empty database instead of creating tables. Default: false. */
  isUnleashExpected?: boolean | undefined;
  /** Called with progress messages when it takes seconds. */
  onProgress?: ((message: string) => void) | undefined;
};

type Prepared = MigrateResult & {
  access: Access;
  layoutVersion: string | null;
  sessionTable: SessionTable;
};

/** Migrates or validates the tables, and reads what the gateway may do with them. */
export const prepareTables = async (
  connection: Connection,
  options: PrepareOptions,
): Promise<Prepared> => {
  try {
    return await connection.withSession(async (session) => {
      const result = await migrate(session, {
        isAllowed: options.migrate,
        isPooled: connection.isPooled,
        isUnleashExpected: options.isUnleashExpected,
        onProgress: options.onProgress,
      });
      if (result.ownership === 'unleash') await checkLayout(session, neededColumns());
      const layoutVersion = versionOf(await findLayout(session));
      const access = await readAccess(session, tableOf);
      return {
        ...result,
        access,
        layoutVersion,
        sessionTable: await readSessionTable(session),
      };
    });
  } catch (error) {
    if (error instanceof LayoutError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const help = isDenied(error) ? ` ${WRONG_DATABASE}` : '';
    throw new LayoutError(`The tables of the database cannot be prepared: ${reason}.${help}`, {
      cause: error,
    });
  }
};

const WRONG_DATABASE =
  'If it should be the database of Unleash, check its name in DATABASE_URL, or start Unleash first.';

const isDenied = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '42501';

const versionOf = (layout: FoundLayout): string | null => {
  if (layout.owner === 'unleash') return layout.unleash?.version ?? null;
  return layout.owner === 'flaggraph' ? (layout.applied.at(-1) ?? null) : null;
};

/** Rejects a database without authentication or without any other operation. Partial access is worth serving. */
export const assertUsable = (access: Access): void => {
  const { authentication, ...others } = access.operations;
  const isUsable = isPossible(authentication) && Object.values(others).some(isPossible);
  if (isUsable) return;

  const operation = OPERATIONS.find((name) => !isPossible(access.operations[name]));
  const reasons = operation ? obstaclesOf(access, operation) : [];
  const isLacking = Object.values(access.operations).some(({ rights }) => rights.length > 0);
  const help = isLacking ? ' `flaggraph doctor --print-grants` prints the grants it needs.' : '';
  throw new LayoutError(`The gateway cannot run on this database: ${reasons.join('; ')}.${help}`);
};
