import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type GraphQLSchema,
  Kind,
  parse,
  print,
  printSchema,
} from 'graphql';
import { ROUTER_QUERIES, ROUTER_TYPES } from './without-router-fields.js';

/** Version 2.0 has everything that is used here, and every composition supports it. */
const LINK = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key", "@shareable"])`;

/** Value types whose names other subgraphs are likely to use for the same thing. */
const SHAREABLE: ReadonlySet<string> = new Set(['PageInfo', 'Tag']);

/**
 * Global IDs of one subgraph mean nothing to another, and a router would send any ID to any subgraph: lookup by
 * global ID stays with each subgraph's own endpoint.
 */
const HIDDEN_TYPES: ReadonlySet<string> = new Set([
  // Routers define these themselves.
  ...ROUTER_TYPES,
  'Node',
  'NodeType',
]);
const HIDDEN_QUERIES: ReadonlySet<string> = new Set([...ROUTER_QUERIES, 'node', 'nodes']);

const directive = (name: string, args: Record<string, string> = {}): ConstDirectiveNode => ({
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: name },
  arguments: Object.entries(args).map(([argument, value]) => ({
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: argument },
    value: { kind: Kind.STRING, value },
  })),
});

type Keys = Readonly<Record<string, string>>;

const shownDefinition = (definition: DefinitionNode, keys: Keys): DefinitionNode | null => {
  if ('name' in definition && HIDDEN_TYPES.has(definition.name?.value ?? '')) return null;
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return definition;

  const { name, fields = [], interfaces = [], directives = [] } = definition;
  const key = keys[name.value];
  return {
    ...definition,
    interfaces: interfaces.filter((node) => !HIDDEN_TYPES.has(node.name.value)),
    fields: fields.filter(
      (field) => name.value !== 'Query' || !HIDDEN_QUERIES.has(field.name.value),
    ),
    directives: [
      ...directives,
      ...(key === undefined ? [] : [directive('key', { fields: key })]),
      ...(SHAREABLE.has(name.value) ? [directive('shareable')] : []),
    ],
  };
};

/** SDL of this subgraph for composition; `keys` names the key of each entity. */
export const printSubgraph = (schema: GraphQLSchema, keys: Keys): string => {
  const { definitions } = parse(printSchema(schema), { noLocation: true });
  const visible = definitions.flatMap((definition) => shownDefinition(definition, keys) ?? []);
  return `${LINK}\n\n${print({ kind: Kind.DOCUMENT, definitions: visible })}\n`;
};
