import { buildSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { printSubgraph } from '../../src/graphql/federation/subgraph-sdl.js';

const schema = buildSchema(`
  "All there is."
  type Query {
    "A thing."
    thing(by: ThingBy!): Thing
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
    _service: _Service!
    _entities(representations: [_Any!]!): [_Entity]!
  }
  interface Node { nodeId: ID! }
  enum NodeType { THING }
  interface Named { node: String! name: String! }
  input ThingBy @oneOf { id: ID name: String }
  type Thing implements Named & Node { nodeId: ID! id: ID! name: String! node: String! old: Int @deprecated(reason: "Use id.") }
  type PageInfo { hasNextPage: Boolean! }
  scalar Moment @specifiedBy(url: "https://example.org/moment")
  scalar _Any
  union _Entity = Thing
  type _Service { sdl: String! }
`);

describe('the schema of the subgraph', () => {
  const sdl = printSubgraph(schema, { Thing: 'id' });

  test('links to federation version 2 with every directive it uses', () => {
    expect(sdl).toMatch(
      /^extend schema\s+@link\(url: "https:\/\/specs\.apollo\.dev\/federation\/v2\.\d", import: \["@key", "@shareable"\]\)/,
    );
    expect(() => parse(sdl)).not.toThrow();
  });

  test('has keys on entities and shares plain values', () => {
    expect(sdl).toContain('type Thing implements Named @key(fields: "id") {');
    expect(sdl).toContain('type PageInfo @shareable {');
  });

  test('omits the definitions that routers know, and global IDs except their field', () => {
    expect(sdl).not.toMatch(/_Any|_Entity|_Service|_service|_entities|\bNode\b|nodes|NodeType/);
    expect(sdl).toContain('nodeId: ID!');
    expect(sdl).not.toContain('node(id');
    expect(sdl.match(/ {2}node: String!/g)).toHaveLength(2);
  });

  test('keeps descriptions, deprecations and the other directives', () => {
    expect(sdl).toContain(
      '"""All there is."""\ntype Query {\n  """A thing."""\n  thing(by: ThingBy!): Thing\n}',
    );
    expect(sdl).toContain('old: Int @deprecated(reason: "Use id.")');
    expect(sdl).toContain('input ThingBy @oneOf {');
    expect(sdl).toContain('scalar Moment @specifiedBy(url: "https://example.org/moment")');
  });
});
