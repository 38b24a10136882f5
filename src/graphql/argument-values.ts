import {
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { exceeded, isContainer, OPERATION_LIMITS } from './document-limits.js';
import { fragmentsOf } from './fragments.js';

const countParts = (value: unknown): number => {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    count += 1;
    if (isContainer(next)) open.push(...Object.values(next));
  }
  return count;
};

/** The values in the arguments of all fields. A variable counts for each use: each field reads it again. */
export const countArgumentValues = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number => {
  const sizes = new Map<string, number>();
  const measure = (name: string): number => {
    if (variables[name] !== undefined) return countParts(variables[name]);
    const definition = operation.variableDefinitions?.find(
      ({ variable }) => variable.name.value === name,
    );
    return definition?.defaultValue ? countValue(definition.defaultValue) : 1;
  };
  const sizeOf = (name: string): number => {
    const size = sizes.get(name) ?? measure(name);
    sizes.set(name, size);
    return size;
  };
  const countValue = (node: ValueNode): number => {
    if (node.kind === Kind.VARIABLE) return sizeOf(node.name.value);
    if (node.kind === Kind.LIST) return sum(node.values, countValue) + 1;
    if (node.kind === Kind.OBJECT) return sum(node.fields, ({ value }) => countValue(value)) + 1;
    return 1;
  };
  const fragments = fragmentsOf(document);
  const counts = new Map<SelectionSetNode, number>();
  const countField = ({ arguments: args = [], selectionSet }: FieldNode): number =>
    sum(args, ({ value }) => countValue(value)) + (selectionSet ? countSet(selectionSet) : 0);
  const countSet = (set: SelectionSetNode): number => {
    const known = counts.get(set);
    if (known !== undefined) return known;
    const count = sum(set.selections, (node) => {
      if (node.kind === Kind.FIELD) return countField(node);
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
      return fragment ? countSet(fragment.selectionSet) : 0;
    });
    counts.set(set, count);
    return count;
  };
  return countSet(operation.selectionSet);
};

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

/** Null if the arguments have few enough values. */
export const excessOfArguments = (count: number): GraphQLError | null => {
  const max = OPERATION_LIMITS.argumentValues;
  return count <= max
    ? null
    : exceeded(
        `The arguments of all fields can have at most ${max} values; these have more. A variable counts for each use.`,
      );
};
