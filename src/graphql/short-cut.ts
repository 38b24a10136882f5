import {
  type ExecutionResult,
  type GraphQLError,
  getOperationAST,
  OperationTypeNode,
} from 'graphql';
import type { Actor } from '../domain/actor.js';
import { isObject } from '../domain/json.js';
import type { Tally } from '../domain/rows.js';
import { createSharedReads } from '../domain/shared-reads.js';
import type { Answer } from '../http/send.js';
import { writeJson } from '../http/write-json.js';
import type { GraphqlServer } from './graphql-server.js';
import { resolveDocument } from './trusted-documents/resolve-document.js';
import type { TrustedDocuments } from './trusted-documents/trusted-documents.js';
import { judgeErrors } from './use-status.js';

type Parameters = {
  query: string;
  variables?: Record<string, unknown> | null;
  operationName?: string | null;
};

type Call = {
  body: { text: string; value: unknown };
  accept: string | undefined;
  actor: Actor;
  tally?: Tally | undefined;
};

const PARAMETERS: readonly string[] = ['query', 'variables', 'operationName', 'extensions'];
const MEDIA_TYPES: ReadonlyMap<string | undefined, string> = new Map([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
]);

const isAbsent = (value: unknown) => value === undefined || value === null;

/** The everyday form of a request; whatever has more to it is for Yoga. */
const readParameters = (
  body: unknown,
  documents: TrustedDocuments | undefined,
): Parameters | null => {
  const resolved = isObject(body) ? quietly(() => resolveDocument(documents, body)) : null;
  if (!resolved || !Object.keys(resolved).every((key) => PARAMETERS.includes(key))) return null;
  const { query, variables, operationName, extensions } = resolved;
  const isPlain =
    typeof query === 'string' &&
    (isAbsent(variables) || isObject(variables)) &&
    (isAbsent(operationName) || typeof operationName === 'string') &&
    (isAbsent(extensions) || isObject(extensions));
  return isPlain ? (resolved as Parameters) : null;
};

/**
 * Runs an ordinary query or mutation with Yoga's plugins but without its requests and responses, which cost more than
 * all the rest of a small operation. Null for everything out of the ordinary; that is decided before anything runs.
 */
export const createShortCut = (
  server: GraphqlServer,
  maskError: (error: unknown) => Error,
  documents?: TrustedDocuments,
) => {
  const reads = createSharedReads();

  return async ({ body, accept, actor, tally }: Call): Promise<Answer | null> => {
    const mediaType = MEDIA_TYPES.get(accept);
    const parameters = readParameters(body.value, documents);
    if (!mediaType || !parameters) return null;
    const { query, variables, operationName } = parameters;

    const { parse, validate, contextFactory, execute, schema } = server.getEnveloped({
      actor,
      tally,
      params: parameters,
    } as never);
    const document = quietly(() => parse(query));
    if (!document || validate(schema, document).length > 0) return null;
    const operation = getOperationAST(document, operationName);
    if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return null;

    const run = async (): Promise<ExecutionResult> =>
      execute({
        schema,
        document,
        contextValue: await contextFactory(),
        variableValues: variables ?? {},
        operationName,
      });
    const answer = async (): Promise<Answer> => {
      const result = await run().catch((error: unknown) => ({
        errors: [maskError(error) as GraphQLError],
      }));
      const { status, headers, shown } = judgeErrors(result, accept);
      return {
        status,
        headers: { 'content-type': `${mediaType}; charset=utf-8`, ...headers },
        body: Buffer.from(writeJson(shown)),
      };
    };
    if (operation.operation !== OperationTypeNode.QUERY) return answer();
    return reads.share(JSON.stringify([actor.identity, accept, body.text]), answer);
  };
};

/** What is refused here is refused again by Yoga, in words that suit the caller. */
const quietly = <Result>(work: () => Result): Result | null => {
  try {
    return work();
  } catch {
    return null;
  }
};
