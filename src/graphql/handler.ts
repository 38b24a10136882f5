import type { IncomingMessage } from 'node:http';
import type { Authenticate } from '../auth/authenticate.js';
import type { Caller } from '../auth/caller.js';
import { requestCost } from '../domain/cost.js';
import {
  BadDataError,
  ContentTypeError,
  type DomainError,
  ExceedsLimitError,
} from '../domain/errors.js';
import { isObject } from '../domain/json.js';
import { countBody, type Usage, type Work } from '../domain/work.js';
import { jsonTypeOf, namesType, servedTypes } from '../http/accepted-types.js';
import type { Call } from '../http/call.js';
import { exceedsShape, type JsonShape } from '../http/json-shape.js';
import { announcedLength, mediaTypeOf } from '../http/read-body.js';
import { readJson } from '../http/read-json.js';
import { retryHeader } from '../http/retry-header.js';
import type { HttpResponse } from '../http/send.js';
import type { LiveResponse } from '../http/send-live.js';
import { excessOfRequest, OPERATION_LIMITS } from './document-limits.js';
import { codeOf, completeError, createMaskError, statusOf, toGraphQLError } from './errors.js';
import type { GraphqlServer } from './graphql-server.js';
import { headersOf, isLive, toLiveResponse } from './live-response.js';
import { readSearch } from './operation-request.js';
import { createOperationRunner } from './run-operation.js';
import type { TrustedDocuments } from './trusted-documents/trusted-documents.js';
import { assertCostHeader } from './use-cost.js';

export const MAX_BODY_BYTES = 1_048_576;
/** Memory of parsed JSON, for each character of its text. */
export const PARSED_FACTOR = 4;
const NOT_ACCEPTABLE = 406;
export const GRAPHQL_RESPONSE = 'application/graphql-response+json';

const wantsGraphqlResponse = ({ headers }: IncomingMessage) =>
  namesType(headers.accept, GRAPHQL_RESPONSE);

/** A response with a single error, created before GraphQL is involved. */
export const graphqlFailure = (request: IncomingMessage, error: DomainError): HttpResponse => {
  const graphqlError = toGraphQLError(error);
  const status = statusOf([graphqlError]) ?? 500;
  const type = wantsGraphqlResponse(request) ? GRAPHQL_RESPONSE : 'application/json';
  return {
    status,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      ...retryHeader(error),
      ...(status === 503 && { 'retry-after': '1' }),
    },
    body: JSON.stringify({ errors: [completeError(graphqlError)] }),
    errorCode: codeOf([graphqlError]),
  };
};

/** Also sent to clients that do not accept it: it may be their only hint. */
const notAcceptable = (request: IncomingMessage): HttpResponse => ({
  ...graphqlFailure(
    request,
    BadDataError.of({
      message:
        'The Accept header allows no supported media type. Accept application/json, application/graphql-response+json or, for subscriptions, text/event-stream.',
    }),
  ),
  status: NOT_ACCEPTABLE,
});

const methodNotAllowed = (request: IncomingMessage): HttpResponse => {
  const failure = graphqlFailure(
    request,
    BadDataError.of({ message: 'Send GraphQL operations with GET or POST.' }),
  );
  return { ...failure, status: 405, headers: { ...failure.headers, allow: 'GET, POST' } };
};

/** Runs before anything else processes the text. */
export const assertLength = (query: unknown) => {
  const { characters } = OPERATION_LIMITS;
  if (typeof query !== 'string' || query.length <= characters) return;
  throw new ExceedsLimitError(
    `An operation can have at most ${characters} characters; this one has more.`,
    characters,
  );
};

export type GraphqlHandlerDependencies = {
  server: GraphqlServer;
  authenticate: Authenticate;
  /** Whether introspection is allowed without a token. */
  openIntrospection: boolean;
  /** Logs internal errors and returns the error that the caller may see. */
  reportError: (error: unknown) => DomainError;
  /** Operations that can be requested without their text. Default: none. */
  documents?: TrustedDocuments | undefined;
};

const { variableDepth, variableValues } = OPERATION_LIMITS;
/** A body beyond this has variables beyond their limits: it has few other parts and levels. */
export const BODY_SHAPE: JsonShape = { depth: variableDepth + 3, values: 2 * variableValues + 1 };

const assertNotExcessive = (text: string): void => {
  if (!exceedsShape(text, BODY_SHAPE)) return;
  throw new ExceedsLimitError(
    `A request can have at most ${variableValues} values in its variables, nested ${variableDepth} levels deep; this one has more.`,
    variableValues,
  );
};

/** Authenticates the caller and reads the body, then passes the rest to the GraphQL server. */
export const createGraphqlHandler = ({
  server,
  authenticate,
  openIntrospection,
  reportError,
  documents,
}: GraphqlHandlerDependencies) => {
  const runOperation = createOperationRunner(server, createMaskError(reportError), documents);

  const respond = async (
    request: IncomingMessage,
    caller: Caller,
    search: string,
    call: Call,
    signal: AbortSignal,
    usage?: Usage,
  ): Promise<HttpResponse | LiveResponse> => {
    await call.enter();
    assertCostHeader(request.headers['x-graphql-cost']);
    const isAnonymous = caller.credentials === null;
    const identify = () => authenticate(caller);
    const actor = isAnonymous && openIntrospection ? null : await identify();
    if (actor) call.identify(actor);
    const isPost = request.method === 'POST';
    if (!isPost && request.method !== 'GET') return methodNotAllowed(request);
    const accept = servedTypes(request.headers.accept);
    if (accept === null) return notAcceptable(request);

    const announced = isPost ? announcedLength(request.headers, MAX_BODY_BYTES) : 0;
    call.charge(requestCost(search.length + announced));
    countBody(announced);

    // HTML forms cannot send JSON, and pages of other origins need a preflight for it.
    if (isPost && mediaTypeOf(request.headers) !== 'application/json') {
      throw new ContentTypeError('Send GraphQL operations as application/json.');
    }
    const body = isPost
      ? await readJson(
          { headers: request.headers, stream: request },
          MAX_BODY_BYTES,
          call,
          assertNotExcessive,
        )
      : undefined;
    if (body) {
      // A compressed body is longer than announced, and takes more memory when it is parsed.
      call.charge(requestCost(Math.max(0, body.text.length - announced)));
      countBody(Math.max(0, body.text.length * PARSED_FACTOR - announced));
      const excess = excessOfRequest(body.value);
      if (excess !== null) throw new ExceedsLimitError(excess, OPERATION_LIMITS.variableValues);
    }
    if (isPost && !body) {
      const message = "The request has no body. Send a JSON object with the operation in 'query'.";
      throw BadDataError.of({ message });
    }
    await call.start();
    const parameters = body ? body.value : readSearch(search);
    if (isObject(parameters)) assertLength(parameters['query']);
    const mediaType = jsonTypeOf(accept);
    if (mediaType) {
      const text = body ? body.text : search;
      const sent = { isGet: !isPost, parameters, text, accept, mediaType, actor, usage, call };
      const response = await runOperation(sent);
      if (response) return response;
    }

    // Event streams.
    const fetchYoga = async () =>
      server.fetch(
        `http://gateway/graphql${search}`,
        {
          method: request.method ?? 'GET',
          headers: {
            accept: accept ?? '*/*',
            ...(isPost && { 'content-type': 'application/json' }),
          },
          body: isPost ? (body?.text ?? '') : null,
        },
        { actor, renewActor: identify, signal, usage, call },
      );
    const response = await call.inTurn(fetchYoga);
    // The result of a query can be requested as an event stream, too. It counts as bytes in flight like any other.
    const isEndless = call.facts.operationType === 'subscription';
    if (isEndless && isLive(response)) return toLiveResponse(response);
    const text = await response.text();
    if (response.status === NOT_ACCEPTABLE && text === '') return notAcceptable(request);
    return {
      status: response.status,
      headers: headersOf(response),
      body: text === '' ? null : text,
    };
  };

  return (
    request: IncomingMessage,
    caller: Caller,
    search: string,
    call: Call,
    { signal, usage, isMeasured }: Work,
  ): Promise<HttpResponse | LiveResponse> =>
    respond(request, caller, search, call, signal, isMeasured ? usage : undefined);
};
