import { readMigrations } from '../layout/migrations-folder.js';
import { qualifiedName, quoteName } from '../sql/sql-names.js';

export type RecommendedIndex = {
  name: string;
  table: string;
  /** Key columns in order, without their direction. */
  columns: string[];
  /** The text inside the parentheses of the statement. */
  keys: string;
  speedsUp: string;
};

/** The text index is offered separately: it is large and slows down every new event. */
export const TEXT_INDEX = {
  name: 'flaggraph_events_text',
  table: 'events',
  columns: ['data', 'tags', 'pre_data'],
  speedsUp: 'event search by free text of four characters or more',
} as const;

export const TEXT_EXTENSION = 'pg_trgm';

const PURPOSES: Readonly<Record<string, string>> = {
  flaggraph_events_project_type_id:
    'event search by project, alone or with types; the events of a project',
  flaggraph_events_feature_name_id: 'event search by feature; the events of a feature',
  flaggraph_events_type_id: 'event search by type over all projects',
  flaggraph_events_created_by_user_id_id: 'event search by author',
  flaggraph_events_environment_id: 'event search by environment',
  flaggraph_events_group_id_id: 'event search by group; the events of a group',
  flaggraph_features_project: 'the health report; the features of a project',
  flaggraph_integration_events_integration_id_id: 'integration events of one integration',
  flaggraph_personal_access_tokens_secret: 'every request made with a personal token',
};

/** The gateway's own indexes. Unleash's indexes have other names. */
const INDEX = /^CREATE INDEX (flaggraph_\w+) ON (\w+) \(([^)]+)\);$/gm;

/** The indexes on tables that the gateway creates. Read from its migrations, so that there is only one list. */
export const readRecommendedIndexes = (): RecommendedIndex[] =>
  readMigrations()
    .flatMap(({ sql }) => [...sql.matchAll(INDEX)])
    .map(([, name = '', table = '', keys = '']) => ({
      name,
      table,
      columns: keys.split(',').map((key) => key.trim().replace(/ DESC$/, '')),
      keys,
      speedsUp: PURPOSES[name] ?? 'the queries of the gateway',
    }));

/** Builds an index without blocking writes to the table. */
export const createStatement = (
  schema: string,
  { name, table, keys }: Pick<RecommendedIndex, 'name' | 'table' | 'keys'>,
  method = '',
): string =>
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${quoteName(name)} ON ${qualifiedName(schema, table)} ${method}(${keys})`;

/** The same for the text index. The extension may be installed in another schema. */
export const createTextStatement = (schema: string, extensionSchema: string | null): string => {
  const isInReach = extensionSchema === null || extensionSchema === schema;
  const operators = isInReach ? 'gin_trgm_ops' : `${quoteName(extensionSchema)}.gin_trgm_ops`;
  const keys = TEXT_INDEX.columns.map((column) => `(${column}::text) ${operators}`).join(', ');
  return createStatement(schema, { ...TEXT_INDEX, keys }, 'USING gin ');
};
