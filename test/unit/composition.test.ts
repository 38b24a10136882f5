import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { graphql, parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { subgraph } from '../../src/graphql/schema/index.js';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])';

describe('the subgraph', () => {
  let ownSdl = '';
  beforeAll(async () => {
    const { data } = await graphql({ schema: subgraph, source: '{ _service { sdl } }' });
    ownSdl = (data as { _service: { sdl: string } })._service.sdl;
  });

  /** Composition errors of another subgraph together with this one. */
  const compositionErrors = (otherSdl: string): string[] => {
    const result = composeServices([
      { name: 'flaggraph', url: 'http://flaggraph/graphql', typeDefs: parse(ownSdl) },
      { name: 'theirs', url: 'http://theirs/graphql', typeDefs: parse(`${LINK} ${otherSdl}`) },
    ]);
    return compositionHasErrors(result) ? result.errors.map(({ message }) => message) : [];
  };

  test.each([
    [
      'fields added to all entities',
      `type Query { x: Int }
      type Event @key(fields: "id") { id: Int! seenBy: [String!]! }
      type Feature @key(fields: "name") { name: String! owner: String }
      type IntegrationEvent @key(fields: "id") { id: ID! ticket: String }
      type Project @key(fields: "id") { id: ID! owner: String }`,
    ],
    [
      'pages and tags of its own',
      `type Query { tags: Tags! }
      type Tags { nodes: [Tag!]! pageInfo: PageInfo! }
      type Tag @shareable { type: String! value: String! }
      type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }`,
    ],
    [
      'global ids of its own',
      `type Query { node(id: ID!): Node nodes(ids: [ID!]!): [Node]! }
      interface Node { id: ID! }
      type Team implements Node @key(fields: "id") { id: ID! }`,
    ],
    [
      'scalars of the same names',
      `type Query { now: DateTime any: JSON object: JSONObject }
      scalar DateTime scalar JSON scalar JSONObject`,
    ],
    [
      'errors with the same fields',
      `type Query { x: TooLate }
      interface Error { id: ID! name: String! message: String! }
      type TooLate implements Error { id: ID! name: String! message: String! }`,
    ],
  ])('composes with a subgraph that has %s', (_title, otherSdl) => {
    expect(compositionErrors(otherSdl)).toEqual([]);
  });

  test.each([
    [
      'errors with other fields',
      `type Query { x: TooLate }
      interface Error { message: String! }
      type TooLate implements Error { message: String! }`,
      /"Error\.id"/,
    ],
    [
      'a key of another type',
      `type Query { x: Int }
      type Project @key(fields: "id") { id: String! owner: String }`,
      /"Project\.id"/,
    ],
    [
      'a user with fields of its own',
      `type Query { me: User }
      type User @key(fields: "id") { id: ID! email: String! }`,
      /"User\.id"/,
    ],
  ])('reports why it does not compose with a subgraph that has %s', (_title, otherSdl, error) => {
    expect(compositionErrors(otherSdl)[0]).toMatch(error);
  });
});
