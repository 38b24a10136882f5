import type { Difference } from '../differences.js';
import type { Exchange, Settled } from '../exchange.js';
import type { WireRequest } from '../http.js';
import { queryOf, textParam, withParams } from '../query.js';
import { isAtLeast } from '../version.js';
import { type Body, isBody, isError, type View } from '../view.js';
import { accept, listIn } from './settle.js';

const PAGE = 1000;
const MAX_FILTER = 10_000;

type Events = ReadonlyMap<unknown, Body>;

const isSearch = ({ request }: Exchange) => request.operation === 'search events';

const listPage = async (sendRequest: (wire: WireRequest) => Promise<View>, wire: WireRequest) => {
  const view = await sendRequest(wire);
  const events = listIn(view, 'events')?.filter(isBody);
  return events && isBody(view.body) ? { events, total: Number(view.body['total']) } : undefined;
};

/** All results of a search, regardless of the requested page. */
const listAll = async (
  sendRequest: (wire: WireRequest) => Promise<View>,
  wire: WireRequest,
): Promise<Events | undefined> => {
  const found = new Map<unknown, Body>();
  for (let offset = 0; ; offset += PAGE) {
    const page = await listPage(sendRequest, withParams(wire, { limit: PAGE, offset }));
    if (!page) return undefined;
    for (const event of page.events) found.set(event['id'], event);
    if (offset + PAGE >= page.total) return found;
  }
};

const known = new Map<string, Promise<[Events | undefined, Events | undefined]>>();

const listBoth = ({ version, epoch, wire, sendToUpstream, sendToGateway }: Exchange) => {
  const get = { ...wire, method: 'GET' };
  const everything = withParams(get, { limit: null, offset: null });
  const { authorization, cookie } = wire.headers;
  const key = [version, epoch, authorization, cookie, everything.path].join(' ');
  const lists =
    known.get(key) ?? Promise.all([listAll(sendToUpstream, get), listAll(sendToGateway, get)]);
  known.set(key, lists);
  return lists;
};

const timeOf = (event: Body) =>
  event['createdAt'] === null ? Number.POSITIVE_INFINITY : Date.parse(String(event['createdAt']));

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Both find the same events, but each page depends on the side's own order. */
const settleOrder = async (exchange: Exchange): Promise<Settled | undefined> => {
  const { upstream, gateway } = exchange;
  const upstreamEvents = listIn(upstream, 'events')?.filter(isBody);
  const gatewayEvents = listIn(gateway, 'events')?.filter(isBody);
  if (!upstreamEvents || !gatewayEvents || upstreamEvents.length !== gatewayEvents.length)
    return undefined;

  const [all, allGateway] = await listBoth(exchange);
  if (!all || !allGateway || all.size !== allGateway.size) return undefined;
  if ([...all].some(([id, event]) => !isEqual(event, allGateway.get(id)))) return undefined;

  const offset = Math.min(all.size, readOffset(exchange.wire));
  const byTime = [...all.values()].sort((a, b) => timeOf(b) - timeOf(a));
  const byId = [...all.values()].sort((a, b) => Number(b['id']) - Number(a['id']));
  const isByTime = upstreamEvents.every((event, index) => {
    const expected = byTime[offset + index];
    return expected && timeOf(event) === timeOf(expected) && isEqual(event, all.get(event['id']));
  });
  const isById = gatewayEvents.every((event, index) => isEqual(event, byId[offset + index]));
  if (!isByTime || !isById) return undefined;
  return { upstream: { ...upstream, body: { ...(upstream.body as Body), events: gatewayEvents } } };
};

const readOffset = (wire: WireRequest): number => {
  const offset = Number(textParam(wire, 'offset') ?? 0);
  return offset > 0 ? Number.parseInt(String(offset), 10) || 0 : 0;
};

const dayOf = (text: string | undefined) => /^IS:(\d{4}-\d{2}-\d{2})$/.exec(text ?? '')?.[1];

const isImpossible = (text: string | undefined) => {
  const day = dayOf(text);
  if (day === undefined) return false;
  const time = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
  return !exists || day.startsWith('0000');
};

const isInteger = (text: string) =>
  /^\s*[+-]?\d+\s*$/.test(text) && Number(text) < 2 ** 31 && Number(text) >= -(2 ** 31);

/** PostgreSQL 16 and newer parse these as integers. */
const NEWER_INTEGER = /^\s*[+-]?(0[xob]|\d[\d_]*_)/i;

const NUMBERS = ['createdBy', 'id'];

const hasBadNumber = (wire: WireRequest) =>
  NUMBERS.some((name) => {
    const values = /^(?:IS|IS_ANY_OF):(.+)$/s.exec(textParam(wire, name) ?? '')?.[1];
    return values?.split(',').some((value) => !isInteger(value.trim())) ?? false;
  });

const hasNewerInteger = (wire: WireRequest) =>
  NUMBERS.some((name) =>
    (textParam(wire, name) ?? '').split(/[:,]/).some((value) => NEWER_INTEGER.test(value)),
  );

const FILTERS = ['feature', 'project', 'type', 'createdBy', 'id', 'groupId', 'environment'];

const hasAnyParam = (wire: WireRequest, names: readonly string[]) =>
  names.some((name) => name in queryOf(wire));

/** Whether the request has one of these parameters and the version ignores it. */
const ignores = (exchange: Exchange, ...names: string[]) =>
  isSearch(exchange) && !isAtLeast(exchange.version, '7.0.0') && hasAnyParam(exchange.wire, names);

const eventsOf = ({ responses: { upstream, gateway } }: Exchange): [Body, Body][] => {
  const read = (json: unknown) =>
    isBody(json) && Array.isArray(json['events']) ? json['events'] : [];
  const gatewayEvents = new Map(
    read(gateway.json)
      .filter(isBody)
      .map((event) => [event['id'], event]),
  );
  return read(upstream.json)
    .filter(isBody)
    .flatMap((event): [Body, Body][] => {
      const gatewayEvent = gatewayEvents.get(event['id']);
      return gatewayEvent ? [[event, gatewayEvent]] : [];
    });
};

const someEvent = (test: (upstream: Body, gateway: Body) => boolean) => (exchange: Exchange) =>
  isSearch(exchange) && eventsOf(exchange).some(([upstream, gateway]) => test(upstream, gateway));

/** Errors of upstream while it computes a label or summary. */
const ODD_PAYLOAD =
  /Cannot read properties of|Unclosed section|Invalid template|is not a function|is not iterable/;

export const SEARCH_EVENTS: readonly Difference[] = [
  {
    id: 'D-SEARCH-12',
    settle: (exchange) =>
      ignores(exchange, 'groupId') && isError(exchange.gateway, 400, 'BadDataError')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-SEARCH-11',
    settle: (exchange) =>
      ignores(exchange, 'id', 'environment') &&
      (exchange.gateway.status === 200 || isError(exchange.gateway, 400, 'BadDataError'))
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-SEARCH-3',
    settle: (exchange) =>
      isSearch(exchange) &&
      hasBadNumber(exchange.wire) &&
      isError(exchange.gateway, 400, 'BadDataError') &&
      // If the request has another error too, upstream reports that one and the gateway this value.
      (exchange.upstream.status >= 400 || hasNewerInteger(exchange.wire))
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-SEARCH-4',
    settle: (exchange) =>
      isSearch(exchange) &&
      (isImpossible(textParam(exchange.wire, 'from')) ||
        isImpossible(textParam(exchange.wire, 'to'))) &&
      isError(exchange.gateway, 400, 'BadDataError')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-SEARCH-6',
    settle: (exchange) =>
      isSearch(exchange) &&
      FILTERS.some((name) => (textParam(exchange.wire, name)?.length ?? 0) > MAX_FILTER) &&
      isError(exchange.gateway, 400, 'BadDataError')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-SEARCH-2',
    settle: async (exchange) => {
      const text = textParam(exchange.wire, 'query');
      if (!isSearch(exchange) || !text || !/[%_\\]/.test(text)) return undefined;
      const escaped = text.replace(/[%_\\]/g, '\\$&');
      const sendRequest = (wire: WireRequest) =>
        exchange.sendToUpstream(withParams(wire, { query: escaped }));
      return { upstream: await sendRequest(exchange.wire), sendToUpstream: sendRequest };
    },
  },
  {
    id: 'D-SEARCH-1',
    settle: (exchange) => (isSearch(exchange) ? settleOrder(exchange) : undefined),
  },
  {
    id: 'D-SEARCH-7',
    settle: async (exchange) => {
      const { upstream, gateway, responses } = exchange;
      if (!isSearch(exchange) || !isError(upstream, 500, 'UnknownError')) return undefined;
      const cause = isBody(responses.upstream.json)
        ? String(responses.upstream.json['message'])
        : '';
      return gateway.status === 200 && ODD_PAYLOAD.test(cause) ? accept(exchange) : undefined;
    },
  },
  {
    id: 'D-SEARCH-5',
    notMetBecause: 'both sides run in UTC here',
  },
  {
    id: 'D-SEARCH-8',
    isNoted: someEvent(
      (event) =>
        String(event['createdBy']).includes('{{') &&
        !String(event['summary']).includes(String(event['createdBy'])),
    ),
  },
  {
    id: 'D-SEARCH-9',
    isNoted: someEvent((_event, gatewayEvent) =>
      /\\[^\w\s]|…/.test(String(gatewayEvent['summary'])),
    ),
  },
  {
    id: 'D-SEARCH-10',
    isNoted: someEvent(
      (event, gatewayEvent) =>
        event['label'] === event['type'] && gatewayEvent['label'] !== gatewayEvent['type'],
    ),
  },
];
