import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** Whether any of these fields is asked for anywhere below the one that is being resolved. */
export const selectsAny = (
  { fieldNodes, fragments }: GraphQLResolveInfo,
  names: ReadonlySet<string>,
): boolean => {
  const seen = new Set<string>();
  const isIn = (selectionSet: SelectionSetNode | undefined): boolean =>
    selectionSet?.selections.some((selection) => {
      if (selection.kind !== 'FragmentSpread') {
        const isNamed = selection.kind === 'Field' && names.has(selection.name.value);
        return isNamed || isIn(selection.selectionSet);
      }
      const { value } = selection.name;
      if (seen.has(value)) return false;
      seen.add(value);
      return isIn(fragments[value]?.selectionSet);
    }) ?? false;
  return fieldNodes.some(({ selectionSet }) => isIn(selectionSet));
};
