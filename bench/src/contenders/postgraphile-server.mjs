// PostGraphile as its documentation recommends for production, on the database of the environment.
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { jsonPgSmartTags } from 'postgraphile/utils';

const { DATABASE_URL, PORT, POOL_SIZE } = process.env;

// References without a foreign key in the database.
const references = jsonPgSmartTags({
  version: 1,
  config: {
    class: {
      features: { tags: { foreignKey: '(project) references projects (id)' } },
      events: { tags: { foreignKey: '(feature_name) references features (name)' } },
      feature_strategies: {
        tags: {
          foreignKey:
            '(environment, feature_name) references feature_environments (environment, feature_name)',
        },
      },
    },
  },
});

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [references],
  disablePlugins: ['PgMutationCreatePlugin', 'PgMutationUpdateDeletePlugin'],
  pgServices: [
    makePgService({
      connectionString: DATABASE_URL,
      schemas: ['public'],
      poolConfig: { max: Number(POOL_SIZE) },
    }),
  ],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
});

const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(Number(PORT), '127.0.0.1');
