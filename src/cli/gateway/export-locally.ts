import { Readable } from 'node:stream';
import type { Actor } from '../../domain/actor.js';
import type { DomainError } from '../../domain/errors.js';
import {
  type ExportOperations,
  readExportFilter,
  resolveExportFilter,
  writeExport,
} from '../../export/event-export.js';
import { readParameters } from '../../export/read-parameters.js';
import type { CreateRunQuery } from '../../graphql/run-internal-query.js';
import { toErrorResponse } from '../../rest/errors.js';
import { GatewayError } from './gateway-error.js';

const NEVER = new AbortController().signal;

export type LocalExport = {
  operations: ExportOperations;
  createRunQuery: CreateRunQuery;
  actor: Actor;
  reportError: (error: unknown) => DomainError;
};

/** An export of a running gateway, without HTTP and without pauses for other clients. */
export const createLocalExport = ({
  operations,
  createRunQuery,
  actor,
  reportError,
}: LocalExport) => {
  async function* withErrors(chunks: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
    try {
      yield* chunks;
    } catch (error) {
      const { message } = reportError(error);
      throw new GatewayError(`The gateway returned an error: ${message}`, { isTransient: true });
    }
  }

  const respond = async ({ pathname, search }: URL, signal: AbortSignal): Promise<Response> => {
    const parameters = readParameters(search, pathname.endsWith('.csv') ? 'csv' : 'ndjson');
    const { format, after, upTo } = parameters;
    const filter = readExportFilter(parameters);
    const runQuery = createRunQuery({ actor, signal });
    const criteria = await resolveExportFilter(runQuery, filter, parameters);
    const exported = await operations.beginExport(actor, {
      criteria,
      after: after ?? 0,
      upTo,
      signal,
    });
    const pacing = { renewActor: async () => actor };
    const chunks = writeExport(operations, exported, { format, hasHeader: after === null, pacing });
    const body = Readable.toWeb(Readable.from(withErrors(chunks))) as ReadableStream<Uint8Array>;
    const contentType = format === 'ndjson' ? 'application/x-ndjson' : 'text/csv';
    return new Response(body, { headers: { 'content-type': contentType } });
  };

  return (url: string, { signal }: RequestInit): Promise<Response> =>
    respond(new URL(url), signal ?? NEVER).catch((error: unknown) => {
      const { status, body, headers } = toErrorResponse(reportError(error));
      return new Response(body as Uint8Array<ArrayBuffer> | null, { status, headers });
    });
};
