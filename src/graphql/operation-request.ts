import { type DocumentNode, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql';
import { isObject } from '../domain/json.js';
import { parseJson } from '../http/read-json.js';
import { ID_PARAMETERS, resolveDocument } from './trusted-documents/resolve-document.js';
import type { TrustedDocuments } from './trusted-documents/trusted-documents.js';

/** The parameters of GraphQL over HTTP. */
export type OperationRequest = {
  query: string;
  variables?: Record<string, unknown> | null;
  operationName?: string | null;
};

const PARAMETERS: readonly string[] = ['query', 'variables', 'operationName', 'extensions'];
const MAX_PARAMETERS = 100;
const JSON_PARAMETERS = ['variables', 'extensions'] as const;

type HttpExtension = { status: number; headers?: Record<string, string>; spec?: boolean };

const refusal = (message: string, code: string, http: HttpExtension): GraphQLError =>
  new GraphQLError(message, { extensions: { code, http } });

const badRequest = (message: string): GraphQLError =>
  refusal(message, 'BAD_REQUEST', { status: 400, headers: { allow: 'GET, POST' } });

/** The parameters in the URL of a GET, like those in the body of a POST. */
export const readSearch = (search: string): Record<string, unknown> => {
  // Malformed ones take long to decode.
  if (search.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    throw badRequest(`The URL can have at most ${MAX_PARAMETERS} parameters.`);
  }
  const sent = new URLSearchParams(search);
  const texts = ['query', 'operationName', ...ID_PARAMETERS].flatMap((name) => {
    const text = sent.get(name);
    return text ? [[name, text]] : [];
  });
  const values = JSON_PARAMETERS.flatMap((name) => {
    const text = sent.get(name);
    return text ? [[name, parseJson(`The parameter '${name}'`, text)]] : [];
  });
  return Object.fromEntries([...texts, ...values]);
};

const isObjectOrNothing = (value: unknown) =>
  value === undefined || value === null || isObject(value);

/** Replaces the ID of a trusted document with its text, and validates the parameters. */
export const readOperationRequest = (
  sent: unknown,
  documents: TrustedDocuments | undefined,
): OperationRequest => {
  if (!isObject(sent)) throw badRequest('The body must be a JSON object.');
  const parameters = resolveDocument(documents, sent);
  const unknown = Object.keys(parameters).find(
    (name) => !PARAMETERS.includes(name) && (parameters[name] ?? null) !== null,
  );
  if (unknown !== undefined) throw badRequest(`Unknown parameter "${unknown}".`);
  const { query } = parameters;
  if (query === undefined || query === null)
    throw badRequest('The parameter "query" with the text of the operation is missing.');
  if (typeof query !== 'string') throw badRequest('The parameter "query" must be a string.');
  for (const name of JSON_PARAMETERS) {
    if (!isObjectOrNothing(parameters[name]))
      throw badRequest(`The parameter "${name}" must be an object or null.`);
  }
  return parameters as OperationRequest;
};

/** The error of a document that cannot be parsed. */
export const asParseError = (error: unknown): unknown => {
  if (!(error instanceof GraphQLError)) return error;
  const { code = 'GRAPHQL_PARSE_FAILED', http = { status: 400, spec: true } } = error.extensions;
  Object.assign(error.extensions, { code, http });
  return error;
};

/** The type of the requested operation. Throws if there is no such operation, or if the method is wrong for it. */
export const operationTypeOf = (
  document: DocumentNode,
  { operationName }: OperationRequest,
  isGet: boolean,
): OperationTypeNode => {
  const operation = getOperationAST(document, operationName);
  if (!operation) {
    throw refusal(
      'Could not determine what operation to execute.',
      'OPERATION_RESOLUTION_FAILURE',
      { status: 400 },
    );
  }
  if (isGet && operation.operation === OperationTypeNode.MUTATION) {
    throw refusal('Send mutations with POST.', 'BAD_REQUEST', {
      status: 405,
      headers: { allow: 'POST' },
    });
  }
  return operation.operation;
};
