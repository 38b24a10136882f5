import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { idAliasOf } from './entity-keys.js';
import { entities, fieldTypes, numberedEntities } from './generated/schema-facts.js';

const ROOTS = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;
const ID = { kind: 'Field', name: { kind: 'Name', value: 'id' } } as FieldNode;
const TYPES: Record<string, Record<string, string>> = fieldTypes;
const isEntity = (typename: string) => (entities as readonly string[]).includes(typename);
const isNumbered = (typename: string) => (numberedEntities as readonly string[]).includes(typename);

/** In fragments, numbers get a name of their own: next to `id` of a fragment on another type they would be invalid. */
const idFieldOf = (typename: string, isFragment: boolean): FieldNode =>
  isFragment && isNumbered(typename)
    ? { ...ID, alias: { kind: Kind.NAME, value: idAliasOf(typename) } }
    : ID;

const responseName = ({ alias, name }: FieldNode) => (alias ?? name).value;

const addToSelection = (selection: SelectionNode, typename: string): SelectionNode => {
  if (selection.kind === 'FragmentSpread') return selection;
  if (selection.kind === 'InlineFragment') {
    const inner = selection.typeCondition?.name.value ?? typename;
    return {
      ...selection,
      selectionSet: addToSet(selection.selectionSet, inner, inner !== typename),
    };
  }
  const inner = TYPES[typename]?.[selection.name.value];
  return inner === undefined || selection.selectionSet === undefined
    ? selection
    : { ...selection, selectionSet: addToSet(selection.selectionSet, inner) };
};

const addToSet = (
  set: SelectionSetNode,
  typename: string,
  isFragment = false,
): SelectionSetNode => {
  const selections = set.selections.map((selection) => addToSelection(selection, typename));
  const hasId = selections.some(
    (selection) => selection.kind === 'Field' && responseName(selection) === 'id',
  );
  if (hasId || !isEntity(typename)) return { ...set, selections };
  return { ...set, selections: [...selections, idFieldOf(typename, isFragment)] };
};

const transformed = new WeakMap<DocumentNode, DocumentNode>();

/** The same document with `id` selected from every object that has one, so that a cache recognizes the object. */
export const addIds = (document: DocumentNode): DocumentNode => {
  const known = transformed.get(document);
  if (known !== undefined) return known;
  // urql recognizes documents by this key, and would send the document without IDs.
  const { __key: _, ...unkeyed } = document as DocumentNode & { __key?: number };
  const result: DocumentNode = {
    ...unkeyed,
    definitions: document.definitions.map((definition) => {
      if (definition.kind === 'OperationDefinition') {
        const selectionSet = addToSet(definition.selectionSet, ROOTS[definition.operation]);
        return { ...definition, selectionSet };
      }
      if (definition.kind !== 'FragmentDefinition') return definition;
      const typename = definition.typeCondition.name.value;
      return { ...definition, selectionSet: addToSet(definition.selectionSet, typename, true) };
    }),
  };
  transformed.set(document, result);
  transformed.set(result, result);
  return result;
};
