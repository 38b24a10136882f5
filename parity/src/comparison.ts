import { setTimeout as delay } from 'node:timers/promises';
import { adopt, compareRows, type Mark, readClone, readMark, undo } from './clone-rows.js';
import { compareResponses } from './compare.js';
import type { Exchange } from './exchange.js';
import { type HttpResponse, send, type WireRequest } from './http.js';
import { withLocalSource } from './local-source.js';
import { settleRows } from './newer-rows.js';
import { type ParityRequest, toWire } from './request.js';
import type { Sides } from './sides.js';
import { toView } from './view.js';
import { type FeatureByHand, insertFeature } from './world/features.js';

export type Outcome = {
  request: ParityRequest;
  wire: WireRequest;
  responses: { upstream: HttpResponse; gateway: HttpResponse };
  /** IDs of deliberate differences, including those in wording. */
  met: string[];
  kind: 'agreed' | 'deliberate' | 'failed';
  /** The first difference that is not deliberate. */
  difference?: string;
};

export type Comparison = {
  /** Sends the request to both sides, compares responses and rows, and leaves both databases equal. */
  sendRequest(request: ParityRequest): Promise<Outcome>;
  /** Accepts the current state of the databases as the baseline, until `settleDown`. */
  begin(): Promise<void>;
  /** Rolls the databases back to their state before `begin`; returns what still differs. */
  settleDown(): Promise<string | undefined>;
  /** Called with each clone that is kept, while upstream still has its own copy. */
  onKept(callback: (name: string, project: string) => Promise<void>): void;
};

const QUIET_POLLS = 2;
const QUIET_GAP_MS = 10;

type Marks = { upstream: Mark; gateway: Mark };
type RowResult = {
  deliberate: string[];
  noted: string[];
  /** Upstream has made the same copy for the same caller. */
  hasTwin?: boolean;
  difference?: string;
};

export const createComparison = async (sides: Sides): Promise<Comparison> => {
  const { version, world, upstream, unrestricted, gateway, upstreamSql, gatewaySql } = sides;
  let epoch = 0;
  const readMarks = async (): Promise<Marks> => ({
    upstream: await readMark(upstreamSql),
    gateway: await readMark(gatewaySql),
  });
  let marks = await readMarks();
  if (marks.upstream.fingerprint !== marks.gateway.fingerprint) {
    throw new Error('the two databases do not hold the same world');
  }
  const marksBefore: Marks[] = [];
  let onKept: (name: string, project: string) => Promise<void> = async () => undefined;

  const exchangeOf = async (request: ParityRequest): Promise<Exchange> => {
    const wire = toWire(request, world);
    const [fromUpstream, fromGateway] = await Promise.all([
      send(upstream.url, wire),
      send(gateway.url, wire),
    ]);
    const sendRequest = (url: string) => async (sent: WireRequest) =>
      toView(request.operation, await send(url, sent));
    const views =
      wire.method === 'HEAD'
        ? await viewsOfHead(wire, sendRequest(upstream.url), sendRequest(gateway.url), fromGateway)
        : {
            upstream: toView(request.operation, fromUpstream),
            gateway: toView(request.operation, fromGateway),
          };
    return {
      version,
      world,
      epoch,
      request,
      wire,
      responses: { upstream: fromUpstream, gateway: fromGateway },
      ...views,
      sendToUpstream: sendRequest(upstream.url),
      sendToGateway: sendRequest(gateway.url),
      sendToUnrestricted: sendRequest(unrestricted.url),
      sendWithLocalSource: (sent) =>
        withLocalSource(upstreamSql, request, () => sendRequest(unrestricted.url)(sent)),
    };
  };

  const newName = async (before: Marks): Promise<string | undefined> => {
    const names = `select feature_name as name from events where id > $1 and type = 'feature-created'`;
    const [upstreamClone] = await upstreamSql.query<{ name: string }>(names, [
      before.upstream.lastEventId,
    ]);
    const [gatewayClone] = await gatewaySql.query<{ name: string }>(names, [
      before.gateway.lastEventId,
    ]);
    return gatewayClone?.name ?? upstreamClone?.name;
  };

  const compareClones = async (name: string, before: Marks): Promise<RowResult> => {
    const [upstreamClone, gatewayClone] = await Promise.all([
      readClone(upstreamSql, name, before.upstream),
      readClone(gatewaySql, name, before.gateway),
    ]);
    const remaining = settleRows(version, {
      upstream: upstreamClone.rows,
      gateway: gatewayClone.rows,
    });
    const difference = gatewayClone.fault ?? compareRows(remaining.upstream, remaining.gateway);
    const isReordered = upstreamClone.eventTypes.join() !== gatewayClone.eventTypes.join();
    return {
      deliberate: [],
      noted: [
        ...remaining.met,
        ...(isReordered || gatewayClone.eventTypes.length > 2 ? ['D-CLONE-12'] : []),
      ],
      hasTwin: true,
      ...(difference && { difference }),
    };
  };

  const checkRows = async (
    exchange: Exchange,
    before: Marks,
    name: string | undefined,
  ): Promise<RowResult> => {
    const now = await readMarks();
    const hasUpstreamWritten = now.upstream.fingerprint !== before.upstream.fingerprint;
    const hasGatewayWritten = now.gateway.fingerprint !== before.gateway.fingerprint;
    if (exchange.gateway.status === 200) {
      if (!hasGatewayWritten || name === undefined) {
        return {
          deliberate: [],
          noted: [],
          difference: 'rows: the gateway returned 200 without writing',
        };
      }
      // Upstream rejected it for a known reason and rolled back, so there is nothing to compare.
      const isRolledBack = !hasUpstreamWritten && exchange.upstream.status >= 400;
      if (isRolledBack) return { deliberate: [], noted: [] };
      return compareClones(name, before);
    }
    return {
      deliberate: hasUpstreamWritten && exchange.upstream.status >= 400 ? ['D-CLONE-4'] : [],
      noted: [],
      ...(hasGatewayWritten && {
        difference: 'rows: the gateway rejected the clone but wrote rows',
      }),
    };
  };

  const rollBack = async (to: Marks, name?: string): Promise<void> => {
    await Promise.all([undo(upstreamSql, name, to.upstream), undo(gatewaySql, name, to.gateway)]);
  };

  /** A failed clone of upstream may continue to write after its response. */
  const waitUntilQuiet = async (): Promise<void> => {
    let quiet = 0;
    let before = '';
    while (quiet < QUIET_POLLS) {
      const { busy } = await upstreamSql.one<{ busy: number }>(
        `select count(*)::int as busy from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
      );
      const { fingerprint } = await readMark(upstreamSql);
      quiet = busy === 0 && fingerprint === before ? quiet + 1 : 0;
      before = fingerprint;
      await delay(QUIET_GAP_MS);
    }
  };

  const requestClone = async (request: ParityRequest): Promise<Outcome> => {
    const before = marks;
    const exchange = await exchangeOf(request);
    const responses = await compareResponses(exchange);
    if (mayHavePartialWrite(exchange)) await waitUntilQuiet();
    const name = await newName(before);
    const isOpen = exchange.gateway.status === 200 || exchange.upstream.status < 400;
    // A read-only method on the clone path is not a clone.
    const rows =
      request.method === 'POST' || name !== undefined
        ? await checkRows(exchange, before, name)
        : { deliberate: [], noted: [] };
    const difference = responses.difference ?? rows.difference;

    if (request.keep && isOpen && name !== undefined && exchange.gateway.status === 200) {
      if (!difference && rows.hasTwin) await onKept(name, request.clone?.project ?? '');
      await adopt(upstreamSql, gatewaySql, name, before.gateway);
      marks = await readMarks();
      epoch++;
    } else {
      await rollBack(before, name);
    }
    return outcomeOf(exchange, {
      deliberate: [...responses.deliberate, ...rows.deliberate],
      noted: [...responses.noted, ...rows.noted],
      ...(difference && { difference }),
    });
  };

  const sendWithSource = async (
    request: ParityRequest,
    source: FeatureByHand,
  ): Promise<Outcome> => {
    const before = marks;
    await Promise.all([insertFeature(upstreamSql, source), insertFeature(gatewaySql, source)]);
    try {
      marks = await readMarks();
      return await requestClone(request);
    } finally {
      await rollBack(before, source.name);
      marks = before;
    }
  };

  return {
    sendRequest: async (request) => {
      if (request.source) return sendWithSource(request, request.source);
      if (request.operation === 'clone') return requestClone(request);
      const exchange = await exchangeOf(request);
      return outcomeOf(exchange, await compareResponses(exchange));
    },
    begin: async () => {
      marksBefore.push(marks);
      marks = await readMarks();
      epoch++;
    },
    settleDown: async () => {
      marks = marksBefore.pop() ?? marks;
      await rollBack(marks);
      epoch++;
      const now = await readMarks();
      if (now.upstream.fingerprint !== marks.upstream.fingerprint) {
        return "upstream's database is not back in its initial state";
      }
      if (now.gateway.fingerprint !== marks.gateway.fingerprint) {
        return "the gateway's database is not back in its initial state";
      }
      return undefined;
    },
    onKept: (callback) => {
      onKept = callback;
    },
  };
};

type Send = Exchange['sendToUpstream'];

/** Compares the GET responses instead of HEAD; the gateway's HEAD may differ from its GET only by the body. */
const viewsOfHead = async (
  wire: WireRequest,
  sendToUpstream: Send,
  sendToGateway: Send,
  head: HttpResponse,
): Promise<Pick<Exchange, 'upstream' | 'gateway'>> => {
  const get = { ...wire, method: 'GET' };
  const [upstream, gateway] = await Promise.all([sendToUpstream(get), sendToGateway(get)]);
  const isSame =
    head.status === gateway.status &&
    head.text === '' &&
    head.headers['content-type'] === gateway.contentType;
  return {
    upstream,
    gateway: isSame ? gateway : { ...gateway, body: 'HEAD differs from GET' },
  };
};

/** Whether upstream may have rejected the clone after it wrote the feature. */
const mayHavePartialWrite = ({ request, upstream }: Exchange): boolean =>
  request.method === 'POST' &&
  upstream.status >= 400 &&
  ![401, 409, 413, 415, 503].includes(upstream.status);

const outcomeOf = (exchange: Exchange, { deliberate, noted, difference }: RowResult): Outcome => {
  const { request, wire, responses } = exchange;
  const kind = difference ? 'failed' : deliberate.length > 0 ? 'deliberate' : 'agreed';
  return {
    request,
    wire,
    responses,
    met: [...deliberate, ...noted],
    kind,
    ...(difference && { difference }),
  };
};
