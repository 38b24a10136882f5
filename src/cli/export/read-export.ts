import { setTimeout as delay } from 'node:timers/promises';
import { toPlainLine } from '../../domain/plain-line.js';
import type { EventFilter } from '../../export/filter-options.js';
import type { FormatName } from '../../export/formats.js';
import { CommandError } from '../command-error.js';
import { GatewayError, unreachable } from '../gateway/gateway-error.js';
import type { Gateway } from '../gateway/open-gateway.js';
import { assertNoRedirect } from '../gateway/send-request.js';
import type { Retries } from '../gateway/with-retries.js';
import { createRowSplitter, type Rows } from './split-rows.js';

/** What to export, and where to continue. */
export type Wanted = {
  filter: EventFilter;
  format: FormatName;
  upTo: number;
  /** ID of the last event that was read, 0 after the header of a table. Null at the beginning. */
  after: number | null;
};

/** Rows are written together up to this size, */
const MAX_BYTES = 250_000;
/** or after this time, so that a reader of the output waits for none of them. */
const MAX_DELAY_MS = 200;
const RESPONSE_TIMEOUT_MS = 120_000;
/** Servers and proxies limit a request line and its headers to 16 KB or less. */
const MAX_URL_LENGTH = 14_000;

const urlOf = (gateway: Gateway, { filter, format, upTo, after }: Wanted): string => {
  const extension = format === 'ndjson' ? 'ndjson' : 'csv';
  const url = new URL(gateway.url.replace(/\/graphql$/, `/export/events.${extension}`));
  if (Object.keys(filter).length > 0) url.searchParams.set('filter', JSON.stringify(filter));
  if (format === 'csv-raw') url.searchParams.set('raw', 'true');
  url.searchParams.set('up-to', String(upTo));
  if (after !== null) url.searchParams.set('after', String(after));
  if (url.href.length > MAX_URL_LENGTH && !gateway.isLocal) {
    throw new CommandError(
      'The filter is too long for a URL. Export fewer values at a time, or export from the database.',
    );
  }
  return url.href;
};

/** The error of a response without an export. */
const failureOf = async (url: string, response: Response): Promise<GatewayError> => {
  const { status } = response;
  const isTransient = status >= 500 || status === 429;
  const body = await response.json().catch(() => null);
  const { name, message } = (body ?? {}) as { name?: unknown; message?: unknown };
  if (typeof message === 'string' && typeof name === 'string' && status !== 404) {
    const code = name === 'BadDataError' ? 'BAD_USER_INPUT' : name;
    const reason = `The gateway returned an error: ${toPlainLine(message)}`;
    return new GatewayError(reason, { code, isTransient });
  }
  const { origin, pathname } = new URL(url);
  return new GatewayError(
    `${origin}${pathname} did not respond with an export (status ${status}). Check the address in --url, the version of the gateway, and that proxies route the path to it.`,
    { isTransient },
  );
};

const request = async (gateway: Gateway, wanted: Wanted, signal: AbortSignal) => {
  const url = urlOf(gateway, wanted);
  const mediaType = wanted.format === 'ndjson' ? 'application/x-ndjson' : 'text/csv';
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error('no response')), RESPONSE_TIMEOUT_MS);
  try {
    const response = await gateway.fetch(url, {
      method: 'GET',
      headers: { accept: mediaType },
      signal: AbortSignal.any([signal, timeout.signal]),
    });
    assertNoRedirect(url, response);
    // A proxy that does not route the path to the gateway may return a page with status 200.
    const isExport = response.headers.get('content-type')?.startsWith(mediaType) === true;
    if (!response.ok || !response.body || !isExport) throw await failureOf(url, response);
    return response.body;
  } finally {
    clearTimeout(timer);
  }
};

/** The rows of one response. Throws if it ends early. */
async function* readOnce(
  gateway: Gateway,
  wanted: Wanted,
  signal: AbortSignal,
): AsyncGenerator<Rows> {
  try {
    const body = await request(gateway, wanted, signal);
    const splitter = createRowSplitter(wanted.format);
    for await (const chunk of body) {
      const rows = splitter.add(chunk);
      if (rows) yield rows;
    }
    if (splitter.hasRest()) throw new Error('the response ended within a line');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GatewayError || error instanceof CommandError) throw error;
    throw unreachable(gateway.url, error);
  }
}

const LATER = Symbol('later');

const joined = (parts: readonly Rows[]): Rows => ({
  bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
  events: parts.reduce((sum, { events }) => sum + events, 0),
  lastId: parts.reduce<number | null>((last, { lastId }) => lastId ?? last, null),
});

/** Joins rows that arrive shortly after each other. Rows before a failure come before it. */
async function* inBatches(source: AsyncGenerator<Rows>): AsyncGenerator<Rows> {
  let parts: Rows[] = [];
  let size = 0;
  const take = (): Rows => {
    const rows = joined(parts);
    parts = [];
    size = 0;
    return rows;
  };
  let next: Promise<IteratorResult<Rows>> | null = null;
  try {
    for (;;) {
      next ??= source.next();
      next.catch(() => undefined);
      const timer = new AbortController();
      const later = delay(MAX_DELAY_MS, LATER, { signal: timer.signal }).catch(() => LATER);
      const result = await Promise.race(parts.length > 0 ? [next, later] : [next]).catch(
        (error: unknown) => ({ error }),
      );
      timer.abort();
      const hasResult = typeof result === 'object' && 'value' in result;
      if (hasResult) {
        next = null;
        if (!result.done) {
          parts.push(result.value);
          size += result.value.bytes.length;
          if (size < MAX_BYTES) continue;
        }
      }
      if (parts.length > 0) yield take();
      if (typeof result === 'object' && 'error' in result) throw result.error;
      if (hasResult && result.done) return;
    }
  } finally {
    await source.return(undefined);
  }
}

/** All rows of an export, in order. After an interruption it continues after the last whole row. */
export async function* readExport(
  gateway: Gateway,
  { after: begin, ...wanted }: Wanted,
  { pauses, onPause, signal }: Retries,
): AsyncGenerator<Rows & { after: number | null }> {
  let after = begin;
  for (let failures = 0; ; ) {
    try {
      for await (const rows of inBatches(readOnce(gateway, { ...wanted, after }, signal))) {
        failures = 0;
        after = rows.lastId ?? after ?? 0;
        yield { ...rows, after };
      }
      return;
    } catch (error) {
      const ms = pauses[failures];
      if (!(error instanceof GatewayError) || !error.isTransient || ms === undefined) throw error;
      failures += 1;
      onPause(error, ms);
      await delay(ms, undefined, { signal });
    }
  }
}
