import type { IncomingMessage } from 'node:http';
import type { Authenticate } from '../auth/authenticate.js';
import {
  AuthenticationRequired,
  BadDataError,
  ContentTypeError,
  type DomainError,
} from '../domain/errors.js';
import type { Operations } from '../domain/operations.js';
import type { Tally } from '../domain/rows.js';
import { acceptedTypes, namesType } from '../http/accepted-types.js';
import { callerAddress } from '../http/caller-address.js';
import { mediaTypeOf } from '../http/read-body.js';
import { parseJson, readJson } from '../http/read-json.js';
import type { Answer } from '../http/send.js';
import type { LiveAnswer } from '../http/send-live.js';
import { createMaskError, statusOf, toGraphQLError } from './errors.js';
import type { GraphqlServer } from './graphql-server.js';
import { headersOf, isLive, toLiveAnswer } from './live-answer.js';
import { createShortCut } from './short-cut.js';
import type { TrustedDocuments } from './trusted-documents/trusted-documents.js';
import { asksForCost } from './use-cost.js';

const MAX_BODY_BYTES = 1_048_576;
const NOT_ACCEPTABLE = 406;
const GRAPHQL_RESPONSE = 'application/graphql-response+json';

const wantsGraphqlResponse = ({ headers }: IncomingMessage) =>
  namesType(headers.accept, GRAPHQL_RESPONSE);

/** An answer that consists of one error, given before GraphQL itself has had a look. */
export const graphqlFailure = (request: IncomingMessage, error: DomainError): Answer => {
  const shown = toGraphQLError(error);
  const status = statusOf([shown]) ?? 500;
  const type = wantsGraphqlResponse(request) ? GRAPHQL_RESPONSE : 'application/json';
  return {
    status,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      ...(status === 503 && { 'retry-after': '1' }),
    },
    body: JSON.stringify({ errors: [shown] }),
  };
};

/** Also told to somebody who cannot read it: it may be the only hint he gets. */
const notAcceptable = (request: IncomingMessage): Answer => ({
  ...graphqlFailure(
    request,
    BadDataError.of({
      message:
        'Nothing that this request accepts can be given. Ask for application/json, application/graphql-response+json or, to follow a subscription, text/event-stream.',
    }),
  ),
  status: NOT_ACCEPTABLE,
});

/** The parameters of a GET that hold JSON. */
const assertParameters = (search: string) => {
  const parameters = new URLSearchParams(search);
  for (const name of ['variables', 'extensions']) {
    const text = parameters.get(name);
    if (text) parseJson(`The parameter '${name}'`, text);
  }
};

export type GraphqlHandlerDependencies = {
  server: GraphqlServer;
  authenticate: Authenticate;
  /** Whether the schema may be asked for without a token. */
  openIntrospection: boolean;
  /** Does some work and counts what it asks the database for. */
  measure: Operations['measure'];
  /** Logs what is our fault and says what the caller is told of it. */
  reportError: (error: unknown) => DomainError;
  /** Operations that can be asked for without their text. Default none. */
  documents?: TrustedDocuments | undefined;
};

/** Settles who calls and reads the body, then leaves the rest to the GraphQL server. */
export const createGraphqlHandler = ({
  server,
  authenticate,
  openIntrospection,
  reportError,
  documents,
  measure,
}: GraphqlHandlerDependencies) => {
  const takeShortCut = createShortCut(server, createMaskError(reportError), documents);

  const answer = async (
    request: IncomingMessage,
    search: string,
    signal: AbortSignal,
    tally?: Tally,
  ): Promise<Answer | LiveAnswer> => {
    const { authorization } = request.headers;
    const accept = acceptedTypes(request.headers.accept);
    const isAnonymous = !authorization?.trim();
    if (isAnonymous && !openIntrospection) throw AuthenticationRequired.noToken();
    const identify = () => authenticate(authorization, callerAddress(request));
    const actor = isAnonymous ? null : await identify();

    // Anything a plain HTML form can send is refused, so no foreign page can call with a visitor's browser.
    const isPost = request.method === 'POST';
    if (isPost && mediaTypeOf(request.headers) !== 'application/json') {
      throw new ContentTypeError('Send GraphQL operations as application/json.');
    }
    const body = isPost
      ? await readJson({ headers: request.headers, stream: request }, MAX_BODY_BYTES)
      : undefined;
    if (isPost && !body) {
      const message = "The request has no body. Send a JSON object with the operation in 'query'.";
      throw BadDataError.of({ message });
    }
    assertParameters(search);
    if (actor && body && search === '') {
      const short = await takeShortCut({ body, accept, actor, tally });
      if (short) return short;
    }

    const response = await server.fetch(
      `http://gateway/graphql${search}`,
      {
        method: request.method ?? 'GET',
        headers: {
          accept: accept ?? '*/*',
          ...(isPost && { 'content-type': 'application/json' }),
        },
        body: isPost ? (body?.text ?? '') : null,
      },
      { actor, renewActor: identify, signal, tally },
    );
    if (isLive(response)) return toLiveAnswer(response);
    const text = await response.text();
    if (response.status === NOT_ACCEPTABLE && text === '') return notAcceptable(request);
    return {
      status: response.status,
      headers: headersOf(response),
      body: text === '' ? null : text,
    };
  };

  return async (
    request: IncomingMessage,
    search: string,
    signal: AbortSignal,
  ): Promise<Answer | LiveAnswer> =>
    asksForCost(request.headers['x-graphql-cost'])
      ? measure((tally) => answer(request, search, signal, tally))
      : answer(request, search, signal);
};
