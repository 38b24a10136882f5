import { getMappedArgumentValues } from '@pothos/core';
import {
  type ExecutionArgs,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from './fragments.js';

const FIELD_COST = 1;
/** For lists without a page size. */
const LIST_MULTIPLIER = 5;

type Weight = {
  depth: number;
  /** Cost for each item of the page. */
  perItem: number;
  /** Cost that does not depend on the page size: totals and page info. */
  once: number;
  /** Fields that read from the database on their own, whatever the number of objects they belong to. */
  reads: number;
};

const NOTHING: Weight = { depth: 0, perItem: 0, once: 0, reads: 0 };

type FieldCost = { field: number; multiplier: number };

const PAGE_FIELDS: readonly string[] = ['nodes', 'edges'];

const fieldsOf = (type: GraphQLNamedType) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};

const isPage = (type: GraphQLNamedType): boolean => {
  const fields = fieldsOf(type);
  return 'pageInfo' in fields && PAGE_FIELDS.some((name) => name in fields);
};

const toFieldCost = (
  option: unknown,
  field: GraphQLField<unknown, unknown> | undefined,
): FieldCost => {
  const isList = field !== undefined && isListType(getNullableType(field.type));
  const defaults = { field: FIELD_COST, multiplier: isList ? LIST_MULTIPLIER : 1 };
  if (typeof option === 'number') return { ...defaults, field: option };
  return { ...defaults, ...(option as Partial<FieldCost> | undefined) };
};

/** Computes the cost of one operation from the `complexity` of its fields; that of a selection set once per type. */
const createScale = (args: ExecutionArgs, variableValues: Record<string, unknown>) => {
  const { schema, document, contextValue } = args;
  const fragments = fragmentsOf(document);
  const known = new Map<SelectionSetNode, Map<GraphQLNamedType, Weight>>();
  const info = { schema, variableValues } as unknown as GraphQLResolveInfo;

  const costOfField = (
    field: GraphQLField<unknown, unknown> | undefined,
    node: SelectionNode & { kind: Kind.FIELD },
  ): FieldCost => {
    const option = field?.extensions['complexity'];
    if (!field || typeof option !== 'function') return toFieldCost(option, field);
    const values = getMappedArgumentValues(field, node, contextValue as object, info);
    return toFieldCost(option(values, contextValue, field), field);
  };

  const computeField = (
    node: SelectionNode & { kind: Kind.FIELD },
    type: GraphQLNamedType,
  ): Weight => {
    const field = fieldsOf(type)[node.name.value];
    const { field: own, multiplier } = costOfField(field, node);
    const below =
      field && node.selectionSet
        ? computeSelectionSet(node.selectionSet, getNamedType(field.type))
        : NOTHING;
    const cost = own + Math.max(0, multiplier) * below.perItem + below.once;
    const isOfPage = isPage(type) && !PAGE_FIELDS.includes(node.name.value);
    const isRead = type === schema.getQueryType() || (field && isPage(getNamedType(field.type)));
    return {
      depth: 1 + below.depth,
      reads: below.reads + (isRead ? 1 : 0),
      perItem: isOfPage ? 0 : cost,
      once: isOfPage ? cost : 0,
    };
  };

  const computeSelection = (node: SelectionNode, type: GraphQLNamedType): Weight => {
    if (node.kind === Kind.FIELD) return computeField(node, type);
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
    if (!fragment) return NOTHING;
    const name = fragment.typeCondition?.name.value;
    return computeSelectionSet(fragment.selectionSet, (name && schema.getType(name)) || type);
  };

  const computeSelectionSet = (set: SelectionSetNode, type: GraphQLNamedType): Weight => {
    const computed = known.get(set)?.get(type);
    if (computed) return computed;
    const sum: Weight = { ...NOTHING };
    for (const node of set.selections) {
      const weight = computeSelection(node, type);
      sum.depth = Math.max(sum.depth, weight.depth);
      sum.perItem += weight.perItem;
      sum.once += weight.once;
      sum.reads += weight.reads;
    }
    known.set(set, (known.get(set) ?? new Map()).set(type, sum));
    return sum;
  };

  return computeSelectionSet;
};

export type OperationCost = { depth: number; cost: number; reads: number };

/** Depth and cost of a valid operation: its fields, multiplied by the sizes of the pages around them. */
export const computeOperationCost = (args: ExecutionArgs): OperationCost => {
  const operation = getOperationAST(args.document, args.operationName);
  const type = operation && args.schema.getRootType(operation.operation);
  if (!operation || !type) return { depth: 0, cost: 0, reads: 0 };
  const { errors, coerced } = getVariableValues(
    args.schema,
    operation.variableDefinitions ?? [],
    args.variableValues ?? {},
    // Locating an error scans the document.
    { maxErrors: 1 },
  );
  if (errors?.[0]) throw errors[0];
  const computeSelectionSet = createScale(args, coerced ?? {});
  const { depth, perItem, once, reads } = computeSelectionSet(operation.selectionSet, type);
  return { depth, cost: perItem + once, reads };
};
