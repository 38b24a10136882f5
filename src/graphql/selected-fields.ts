import type { FieldNode, GraphQLResolveInfo, SelectionNode, SelectionSetNode } from 'graphql';

/** Visits the fields directly below the resolved one, including those of fragments; `isIn` visits deeper levels. */
const someField = (
  { fieldNodes, fragments }: GraphQLResolveInfo,
  matches: (field: FieldNode, isIn: (set: SelectionSetNode | undefined) => boolean) => boolean,
  isSkipped: (selection: SelectionNode) => boolean = () => false,
): boolean => {
  const seen = new Set<string>();
  const isIn = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((selection) => {
      if (isSkipped(selection)) return false;
      if (selection.kind === 'Field') return matches(selection, isIn);
      if (selection.kind === 'InlineFragment') return isIn(selection.selectionSet);
      const { value } = selection.name;
      if (seen.has(value)) return false;
      seen.add(value);
      return isIn(fragments[value]?.selectionSet);
    }) ?? false;
  return fieldNodes.some(({ selectionSet }) => isIn(selectionSet));
};

/** Whether any of these fields is selected anywhere below the resolved one. */
export const selectsAny = (info: GraphQLResolveInfo, names: ReadonlySet<string>): boolean =>
  someField(info, ({ name, selectionSet }, isIn) => names.has(name.value) || isIn(selectionSet));

/** Whether a field of the resolved object is selected unconditionally. */
export const selectsItself = (info: GraphQLResolveInfo, name: string): boolean =>
  someField(
    info,
    (field) => field.name.value === name,
    ({ directives = [] }) => directives.length > 0,
  );
