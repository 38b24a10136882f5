import {
  type ExecutionResult,
  type GraphQLError,
  getOperationAST,
  OperationTypeNode,
} from 'graphql';
import type { Actor } from '../domain/actor.js';
import { createSharedReads } from '../domain/shared-reads.js';
import type { Answer } from '../http/send.js';
import { writeJson } from '../http/write-json.js';
import type { GraphqlServer } from './graphql-server.js';
import { judgeErrors } from './use-status.js';

type Parameters = {
  query: string;
  variables?: Record<string, unknown> | null;
  operationName?: string | null;
};

type Call = { body: { text: string; value: unknown }; accept: string | undefined; actor: Actor };

const PARAMETERS: readonly string[] = ['query', 'variables', 'operationName'];
const MEDIA_TYPES: ReadonlyMap<string | undefined, string> = new Map([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
]);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The everyday form of a request; whatever has more to it is for Yoga. */
const readParameters = (body: unknown): Parameters | null => {
  if (!isRecord(body) || !Object.keys(body).every((key) => PARAMETERS.includes(key))) return null;
  const { query, variables, operationName } = body;
  const isPlain =
    typeof query === 'string' &&
    (variables === undefined || variables === null || isRecord(variables)) &&
    (operationName === undefined || operationName === null || typeof operationName === 'string');
  return isPlain ? (body as Parameters) : null;
};

/**
 * Runs an ordinary query or mutation with Yoga's plugins but without its requests and responses, which cost more than
 * all the rest of a small operation. Null for everything out of the ordinary; that is decided before anything runs.
 */
export const createShortCut = (server: GraphqlServer, maskError: (error: unknown) => Error) => {
  const reads = createSharedReads();

  return async ({ body, accept, actor }: Call): Promise<Answer | null> => {
    const mediaType = MEDIA_TYPES.get(accept);
    const parameters = readParameters(body.value);
    if (!mediaType || !parameters) return null;
    const { query, variables, operationName } = parameters;

    const { parse, validate, contextFactory, execute, schema } = server.getEnveloped({
      actor,
      params: parameters,
    } as never);
    const document = parseQuietly(parse, query);
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

const parseQuietly = <Document>(parse: (query: string) => Document, query: string) => {
  try {
    return parse(query);
  } catch {
    return null;
  }
};
