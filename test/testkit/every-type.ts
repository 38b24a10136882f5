import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { encodeNodeId } from '../../src/graphql/node-id.js';

/** Arguments that match data of the demo world; those of other fields follow from their types. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'Query._entities': 'representations: [{ __typename: "Feature", name: "welcome-tour" }]',
  'Query.clonePlan':
    'input: { featureName: "checkout-one-page", newName: "checkout-planned", targetProjectId: "default" }',
  'Query.event': 'id: 1',
  'Query.feature': 'name: "payments-pay-later"',
  'Query.integration': 'id: 1',
  'Query.integrationEvents': 'integrationId: 1, first: 2',
  'Query.node': `id: "${encodeNodeId(null, { type: 'Feature', key: 'welcome-tour' })}"`,
  'Query.nodes': 'ids: []',
  'Query.project': 'id: "web-shop"',
};

const VALUES: Readonly<Record<string, string>> = {
  DateTime: '"2026-02-20T12:00:00Z"',
  Int: '1',
};

const exampleOf = ({ type }: GraphQLArgument): string => {
  const value = VALUES[getNamedType(type).name] ?? '"default"';
  return String(type).startsWith('[') ? `[${value}]` : value;
};

const callOf = (parent: GraphQLNamedType, field: GraphQLField<unknown, unknown>): string => {
  const args = field.args
    .filter((argument) => argument.name === 'first' || isRequiredArgument(argument))
    .map((argument) =>
      argument.name === 'first' ? 'first: 2' : `${argument.name}: ${exampleOf(argument)}`,
    );
  const text = ARGUMENTS[`${parent.name}.${field.name}`] ?? args.join(', ');
  return text === '' ? field.name : `${field.name}(${text})`;
};

type ReachableType = { type: GraphQLNamedType; wrap: (selection: string) => string };

/** One query for each reachable type, with all of its fields. */
export const queriesOfEveryType = (schema: GraphQLSchema): Map<string, string> => {
  const queries = new Map<string, string>();
  const root = schema.getQueryType();
  const reachable: ReachableType[] = root ? [{ type: root, wrap: (inner) => `{ ${inner} }` }] : [];
  for (const { type, wrap } of reachable) {
    if (queries.has(type.name)) continue;
    if (!isObjectType(type)) {
      // Its members are queried separately.
      queries.set(type.name, wrap('__typename'));
      continue;
    }
    const selection = Object.values(type.getFields()).map((field) => {
      const call = callOf(type, field);
      const target = getNamedType(field.type);
      if (isLeafType(target)) return call;
      reachable.push({ type: target, wrap: (inner) => wrap(`${call} { ${inner} }`) });
      return `${call} { __typename }`;
    });
    queries.set(type.name, wrap(selection.join(' ')));
  }
  return queries;
};
