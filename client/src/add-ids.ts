import type { DocumentNode, FieldNode, SelectionNode, SelectionSetNode } from 'graphql';
import { entities, fieldTypes } from './generated/schema-facts.js';

const ROOTS = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;
const ID = { kind: 'Field', name: { kind: 'Name', value: 'id' } } as FieldNode;
const TYPES: Record<string, Record<string, string>> = fieldTypes;
const isEntity = (typename: string) => (entities as readonly string[]).includes(typename);

const responseName = ({ alias, name }: FieldNode) => (alias ?? name).value;

const addToSelection = (selection: SelectionNode, typename: string): SelectionNode => {
  if (selection.kind === 'FragmentSpread') return selection;
  if (selection.kind === 'InlineFragment') {
    const inner = selection.typeCondition?.name.value ?? typename;
    return { ...selection, selectionSet: addToSet(selection.selectionSet, inner) };
  }
  const inner = TYPES[typename]?.[selection.name.value];
  return inner === undefined || selection.selectionSet === undefined
    ? selection
    : { ...selection, selectionSet: addToSet(selection.selectionSet, inner) };
};

const addToSet = (set: SelectionSetNode, typename: string): SelectionSetNode => {
  const selections = set.selections.map((selection) => addToSelection(selection, typename));
  const hasId = selections.some(
    (selection) => selection.kind === 'Field' && responseName(selection) === 'id',
  );
  return { ...set, selections: isEntity(typename) && !hasId ? [...selections, ID] : selections };
};

const transformed = new WeakMap<DocumentNode, DocumentNode>();

/** The same document with `id` selected from every object that has one, so that a cache recognises the object. */
export const addIds = (document: DocumentNode): DocumentNode => {
  const known = transformed.get(document);
  if (known !== undefined) return known;
  const result: DocumentNode = {
    ...document,
    definitions: document.definitions.map((definition) => {
      if (definition.kind === 'OperationDefinition') {
        const selectionSet = addToSet(definition.selectionSet, ROOTS[definition.operation]);
        return { ...definition, selectionSet };
      }
      if (definition.kind !== 'FragmentDefinition') return definition;
      const typename = definition.typeCondition.name.value;
      return { ...definition, selectionSet: addToSet(definition.selectionSet, typename) };
    }),
  };
  transformed.set(document, result);
  transformed.set(result, result);
  return result;
};
