import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSchema, createYoga } from 'graphql-yoga';

type Reference = { __typename: string; id?: string; name?: string };

export type Team = {
  id: string;
  features: string[];
  projects: string[];
  incidents: { title: string; event?: number; delivery?: string }[];
};

const FEDERATION = `
  scalar _Any
  union _Entity = Team | Feature | Project
  type _Service { sdl: String! }
  extend type Query { _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }
  scalar link__Import
  directive @link(url: String!, import: [link__Import]) on SCHEMA
  directive @key(fields: String!, resolvable: Boolean) repeatable on OBJECT
  directive @shareable on OBJECT`;

/** The second subgraph of docs/guides/federation.md, on its own port: the owners of features and projects. */
export const startTeamsSubgraph = async (sdl: string, teams: Team[]) => {
  /** The headers that the router sent, by request. */
  const received: { authorization: string | null }[] = [];
  const references = (typename: string, field: string, keys: readonly string[]) =>
    keys.map((key) => ({ __typename: typename, [field]: key }));

  const yoga = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: [sdl, FEDERATION],
      resolvers: {
        Query: {
          _service: () => ({ sdl }),
          _entities: (_root: unknown, args: { representations: Reference[] }) =>
            args.representations.map((reference) =>
              reference.__typename === 'Team'
                ? { __typename: 'Team', ...teams.find(({ id }) => id === reference.id) }
                : reference,
            ),
          team: (_root: unknown, args: { id: string }) => teams.find(({ id }) => id === args.id),
          teams: () => ({
            nodes: teams,
            pageInfo: { hasNextPage: false, hasPreviousPage: false },
          }),
          node: (_root: unknown, args: { id: string }) =>
            teams.some(({ id }) => id === args.id) ? { __typename: 'Team', id: args.id } : null,
        },
        Team: {
          features: ({ features }: Team) => references('Feature', 'name', features),
          projects: ({ projects }: Team) => references('Project', 'id', projects),
        },
        Incident: {
          causedBy: ({ event }: Team['incidents'][number]) => event && { id: event },
          lostDelivery: ({ delivery }: Team['incidents'][number]) => delivery && { id: delivery },
        },
        Feature: {
          owner: ({ name }: { name: string }) =>
            teams.find(({ features }) => features.includes(name)),
          docsUrl: ({ name }: { name: string }) => `https://docs.example/features/${name}`,
        },
        Project: {
          owner: ({ id }: { id: string }) => teams.find(({ projects }) => projects.includes(id)),
        },
      },
    }),
    plugins: [
      {
        onRequest: ({ request }) => {
          received.push({ authorization: request.headers.get('authorization') });
        },
      },
    ],
  });
  const server = createServer(yoga);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    received,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
