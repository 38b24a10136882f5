import type { IncomingMessage } from 'node:http';
import type { Authenticate } from '../auth/authenticate.js';
import type { Caller } from '../auth/caller.js';
import { requestCost } from '../domain/cost.js';
import { BadDataError, type DomainError } from '../domain/errors.js';
import type { EventExport } from '../domain/events/export-events.js';
import { searchCost } from '../graphql/connection.js';
import type { CreateRunQuery } from '../graphql/run-internal-query.js';
import { acceptsType } from '../http/accepted-types.js';
import type { Call } from '../http/call.js';
import { compressLive } from '../http/compress-live.js';
import { encodingFor, type HttpResponse, withEncoding } from '../http/send.js';
import type { LiveResponse } from '../http/send-live.js';
import { toErrorResponse } from '../rest/errors.js';
import {
  type ExportOperations,
  readExportFilter,
  resolveExportFilter,
  writeExport,
} from './event-export.js';
import type { FormatName } from './formats.js';
import { type PathFormat, readParameters } from './read-parameters.js';

/** As for an event of a search. */
const POINTS_PER_EVENT = 15;
/** A part of the log without a match has been read, too. */
const MIN_POINTS = 100;
/** Half of the caller's points stay free for its other requests. */
const RESERVE = 0.5;

const PATHS: Readonly<Record<string, PathFormat>> = {
  '/export/events.ndjson': 'ndjson',
  '/export/events.csv': 'csv',
};

const MEDIA_TYPES: Readonly<Record<PathFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
};

export const isExportPath = (path: string | null): path is string => path !== null && path in PATHS;

export type ExportRequest = {
  request: IncomingMessage;
  path: string;
  /** Query string with its question mark. Empty if there is none. */
  search: string;
  caller: Caller;
  call: Call;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
};

export type ExportDependencies = {
  authenticate: Authenticate;
  operations: ExportOperations;
  createRunQuery: CreateRunQuery;
  /** Logs internal errors and returns the error for the caller. */
  reportError: (error: unknown) => DomainError;
};

const failure = (
  status: number,
  message: string,
  headers: Record<string, string> = {},
): HttpResponse => {
  const response = toErrorResponse(BadDataError.of({ message }));
  return { ...response, status, headers: { ...response.headers, ...headers } };
};

/** Why a request is not acceptable, whatever its parameters are. */
const faultOf = (request: IncomingMessage, mediaType: string): HttpResponse | null => {
  const { method = 'GET', headers, httpVersionMajor, httpVersionMinor } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    return failure(405, 'Request exports with GET or HEAD.', { allow: 'GET, HEAD' });
  }
  if (httpVersionMajor === 1 && httpVersionMinor === 0) {
    return failure(
      505,
      'Exports require HTTP/1.1: in HTTP/1.0, an interrupted response looks complete. Behind nginx, set proxy_http_version 1.1.',
    );
  }
  if (acceptsType(headers.accept, mediaType)) return null;
  return failure(406, `The Accept header allows no supported media type. Accept ${mediaType}.`);
};

const headersOf = (
  pathFormat: PathFormat,
  { upTo, hasHeader }: { upTo: number; hasHeader: boolean },
): Record<string, string> => ({
  'content-type':
    pathFormat === 'csv'
      ? `text/csv; charset=utf-8; header=${hasHeader ? 'present' : 'absent'}`
      : `${MEDIA_TYPES[pathFormat]}; charset=utf-8`,
  'content-disposition': `attachment; filename="events.${pathFormat}"`,
  'export-up-to': String(upTo),
  // nginx would otherwise buffer the stream.
  'x-accel-buffering': 'no',
});

const streamOf = (
  chunks: AsyncGenerator<Buffer, void>,
  onFailure: (error: unknown) => void,
): LiveResponse['stream'] => ({
  read: async () => {
    try {
      const { done, value } = await chunks.next();
      return done ? null : value;
    } catch (error) {
      onFailure(error);
      throw error;
    }
  },
  cancel: () => {
    chunks.return().catch(() => undefined);
  },
});

type Prepared = { exported: EventExport; format: FormatName; hasHeader: boolean };

/** Exports of the event log as one streamed response. */
export const createExportHandler = ({
  authenticate,
  operations,
  createRunQuery,
  reportError,
}: ExportDependencies) => {
  const stream = (
    { request, caller, call, signal }: ExportRequest,
    { exported, format, hasHeader }: Prepared,
    headers: Record<string, string>,
  ): LiveResponse => {
    const chunks = writeExport(operations, exported, {
      format,
      hasHeader,
      pacing: {
        renewActor: () => authenticate(caller),
        charge: (events, either) =>
          call.pace(Math.max(events * POINTS_PER_EVENT, MIN_POINTS), either, RESERVE),
        isAlone: call.isAlone,
      },
    });
    const onFailure = (error: unknown): void => {
      if (!signal.aborted) call.facts.errorCode = reportError(error).name;
    };
    const plain = streamOf(chunks, onFailure);
    const encoding = encodingFor(request.headers['accept-encoding']);
    const vary = withEncoding('Accept');
    if (!encoding) return { status: 200, headers: { ...headers, vary }, stream: plain };
    return {
      status: 200,
      headers: { ...headers, vary, 'content-encoding': encoding },
      stream: compressLive(plain, encoding),
    };
  };

  /** Throws if the export cannot start. */
  const respond = async (sent: ExportRequest): Promise<HttpResponse | LiveResponse> => {
    const { request, path, search, caller, call, signal } = sent;
    await call.enter();
    const actor = await authenticate(caller);
    call.identify(actor);
    await call.start();
    call.charge(requestCost(search.length));
    const pathFormat = PATHS[path] ?? 'ndjson';
    const fault = faultOf(request, MEDIA_TYPES[pathFormat]);
    if (fault) return fault;

    const parameters = readParameters(search, pathFormat);
    const { format, after, upTo } = parameters;
    const filter = call.timed(() => readExportFilter(parameters));
    const points = searchCost({ filter }).field;
    call.facts.cost = points;
    call.charge(points);
    const exported = await call.inTurn(async () => {
      const runQuery = createRunQuery({ actor, signal, call });
      const criteria = await resolveExportFilter(runQuery, filter, parameters);
      return operations.beginExport(actor, { criteria, after: after ?? 0, upTo, signal });
    });
    const hasHeader = after === null;
    const headers = headersOf(pathFormat, { upTo: exported.upTo, hasHeader });
    if (request.method === 'HEAD') {
      exported.end();
      return { status: 200, headers, body: null };
    }
    return stream(sent, { exported, format, hasHeader }, headers);
  };

  return respond;
};
