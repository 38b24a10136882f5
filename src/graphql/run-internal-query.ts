import { type DocumentNode, parse } from 'graphql';
import type { Actor } from '../domain/actor.js';
import type { Operations } from '../domain/operations.js';
import type { Call } from '../http/call.js';
import type { PluginClient } from './builder.js';
import { createContext } from './context.js';
import { executeOperation } from './execute-operation.js';
import { schema } from './schema/index.js';
import { assessOperation } from './use-operation-limits.js';

export type InternalCaller = {
  actor: Actor;
  /** Aborted when no client waits for the answer any more. */
  signal: AbortSignal;
  /** The request this belongs to; absent if nothing is charged. */
  call?: Call | undefined;
};

/** Runs queries of the gateway itself, as an actor sees the graph. Throws the first error of a result. */
export const createRunQuery = (client: PluginClient, operations: Operations) => {
  /** The texts are constants. */
  const documents = new Map<string, DocumentNode>();
  const documentOf = (query: string): DocumentNode => {
    const document = documents.get(query) ?? parse(query);
    documents.set(query, document);
    return document;
  };

  return ({ actor, signal, call }: InternalCaller) =>
    async <Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> => {
      const context = createContext(client, operations, {
        actor,
        renewActor: async () => actor,
        signal,
      });
      const args = {
        schema,
        document: documentOf(query),
        variableValues: variables,
        contextValue: call ? { ...context, call: withoutFacts(call) } : context,
      };
      const { points, error } = assessOperation(args);
      call?.charge(points);
      if (error) throw error;
      const { data, errors } = await executeOperation(args, points);
      const [first] = errors ?? [];
      if (first) throw first.originalError ?? first;
      return data as Data;
    };
};

/** The log line of the request describes the request, not these queries. */
const withoutFacts = (call: Call): Call => ({ ...call, facts: {} });

export type CreateRunQuery = ReturnType<typeof createRunQuery>;
