import {
  type DocumentNode,
  type GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Actor } from '../domain/actor.js';
import { AuthenticationRequired } from '../domain/errors.js';
import { toGraphQLError } from './errors.js';

const rootFields = (document: DocumentNode, { selectionSet }: OperationDefinitionNode) => {
  const names: string[] = [];
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode) => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.push(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = document.definitions.find(
          (node) =>
            node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === selection.name.value,
        );
        if (fragment?.kind === Kind.FRAGMENT_DEFINITION) collect(fragment.selectionSet);
      }
    }
  };
  collect(selectionSet);
  return names;
};

/** `_service` returns the schema as well, in the form that composing a federated graph needs. */
const isOfSchema = (field: string) => field.startsWith('__') || field === '_service';

/** Whether an operation selects nothing but the schema itself. */
export const isIntrospection = (document: DocumentNode, operationName?: string | null): boolean => {
  const operation = getOperationAST(document, operationName);
  return operation ? rootFields(document, operation).every(isOfSchema) : false;
};

type Called = { document: DocumentNode; operationName?: string | null | undefined };

/** Without an actor, only the schema itself can be queried. */
export const useAccess = (): Plugin<{ actor: Actor | null }> => {
  const rejectUnauthenticated = (
    actor: Actor | null,
    { document, operationName }: Called,
    setResult: (result: { errors: GraphQLError[] }) => void,
  ) => {
    if (actor || isIntrospection(document, operationName)) return;
    setResult({ errors: [toGraphQLError(AuthenticationRequired.noToken())] });
  };
  return {
    onExecute: ({ args, setResultAndStopExecution }) =>
      rejectUnauthenticated(args.contextValue.actor, args, setResultAndStopExecution),
    onSubscribe: ({ args, setResultAndStopExecution }) =>
      rejectUnauthenticated(args.contextValue.actor, args, setResultAndStopExecution),
  };
};
