import { readMigrations } from '../migrations-folder.js';
import { qualifiedName, quoteName } from '../sql-names.js';

export type RecommendedIndex = {
  name: string;
  table: string;
  /** Key columns in order, without their direction. */
  columns: string[];
  /** What stands in the parentheses of the statement. */
  keys: string;
  speedsUp: string;
};

/** The text index is offered apart: it is large and makes every new event slower. */
export const TEXT_INDEX = {
  name: 'flaggraph_events_text',
  table: 'events',
  columns: ['data', 'tags', 'pre_data'],
  speedsUp: 'event search by free text of three characters or more',
} as const;

export const TEXT_EXTENSION = 'pg_trgm';

const PURPOSES: Readonly<Record<string, string>> = {
  flaggraph_events_project_type_id:
    'event search by project, alone or with types; the events of a project',
  flaggraph_events_feature_name_id: 'event search by feature; the events of a feature',
  flaggraph_events_type_id: 'event search by type over all projects',
  flaggraph_events_created_by_user_id_id: 'event search by author',
  flaggraph_events_environment_id: 'event search by environment',
  flaggraph_features_project: 'the health report; the features of a project',
  flaggraph_integration_events_integration_id_id: 'integration events of one integration',
  flaggraph_personal_access_tokens_secret: 'every request made with a personal token',
};

const MIGRATION = /_search_indexes$/;
const INDEX = /^CREATE INDEX (\w+) ON (\w+) \(([^)]+)\);$/gm;

/** The indexes that our own databases have. Read from the migration that lays them, so that there is one list of them. */
export const readRecommendedIndexes = (): RecommendedIndex[] => {
  const sql = readMigrations().find(({ name }) => MIGRATION.test(name))?.sql ?? '';
  return [...sql.matchAll(INDEX)].map(([, name = '', table = '', keys = '']) => ({
    name,
    table,
    columns: keys.split(',').map((key) => key.trim().replace(/ DESC$/, '')),
    keys,
    speedsUp: PURPOSES[name] ?? 'the queries of the gateway',
  }));
};

/** The statement that makes an index while the table stays open to everybody. */
export const createStatement = (
  schema: string,
  { name, table, keys }: Pick<RecommendedIndex, 'name' | 'table' | 'keys'>,
  method = '',
): string =>
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${quoteName(name)} ON ${qualifiedName(schema, table)} ${method}(${keys})`;

/** The same for the text index; the extension may live in a schema of its own. */
export const createTextStatement = (schema: string, extensionSchema: string | null): string => {
  const isInReach = extensionSchema === null || extensionSchema === schema;
  const operators = isInReach ? 'gin_trgm_ops' : `${quoteName(extensionSchema)}.gin_trgm_ops`;
  const keys = TEXT_INDEX.columns.map((column) => `(${column}::text) ${operators}`).join(', ');
  return createStatement(schema, { ...TEXT_INDEX, keys }, 'USING gin ');
};
