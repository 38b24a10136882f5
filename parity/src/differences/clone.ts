import type { Difference } from '../differences.js';
import type { Exchange } from '../exchange.js';
import { errorName, isBody, isError } from '../view.js';
import { accept, areBothBadData, isClientError, withBody } from './settle.js';

const isClone = ({ request }: Exchange) => request.operation === 'clone';

const mediaTypeOf = ({ wire }: Exchange) =>
  (wire.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Fields of upstream's response. The gateway's additional fields follow them. */
const KEYS = [
  'name',
  'description',
  'type',
  'project',
  'stale',
  'createdAt',
  'lastSeenAt',
  'impressionData',
  'archivedAt',
  'archived',
];

const FURTHER_KEYS = [
  'enabled',
  'favorite',
  'createdBy',
  'environments',
  'variants',
  'strategies',
  'tags',
  'children',
  'dependencies',
  'lifecycle',
  'collaborators',
  'segments',
];

/** Errors that upstream may return for the source with several faults. */
const FAULTS = ['BadDataError', 'NotFoundError'];

const hasLoneSurrogate = ({ wire }: Exchange) => {
  try {
    const body: unknown = JSON.parse(wire.body?.toString('utf8') ?? '');
    return isBody(body) && /\p{Surrogate}/u.test(String(body['name']));
  } catch {
    return false;
  }
};

/** Whether an environment of the source has a variant without a name. */
const hasNamelessVariant = ({ request }: Exchange) =>
  (request.source?.environments ?? []).some(
    (environment) =>
      typeof environment === 'object' &&
      Array.isArray(environment['variants']) &&
      environment['variants'].some(
        (variant) => !isBody(variant) || typeof variant['name'] !== 'string',
      ),
  );

export const CLONE: readonly Difference[] = [
  {
    id: 'D-CLONE-17',
    settle: (exchange) =>
      isClone(exchange) && exchange.request.clone?.project === 'linkless' && isClientError(exchange)
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-CLONE-2',
    settle: (exchange) =>
      isClone(exchange) &&
      mediaTypeOf(exchange) !== 'application/json' &&
      isError(exchange.gateway, 415, 'ContentTypeerror')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-CLONE-7',
    settle: (exchange) =>
      isClone(exchange) &&
      (isClientError(exchange) || areBothBadData(exchange)) &&
      hasLoneSurrogate(exchange)
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-CLONE-6',
    settle: (exchange) =>
      isClone(exchange) &&
      isError(exchange.upstream, 500, 'UnknownError') &&
      exchange.request.clone?.source === 'environmentless' &&
      exchange.gateway.status === 200
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-CLONE-5',
    settle: (exchange) =>
      isClone(exchange) &&
      exchange.request.clone?.source === exchange.world.sources.severalFaults &&
      FAULTS.includes(String(errorName(exchange.upstream))) &&
      FAULTS.includes(String(errorName(exchange.gateway)))
        ? accept(exchange)
        : undefined,
    isNoted: ({ request, world }) => request.clone?.source === world.sources.severalFaults,
  },
  {
    id: 'D-CLONE-13',
    settle: (exchange) =>
      isClone(exchange) &&
      exchange.request.clone?.source === 'bad-many-strategies' &&
      exchange.upstream.status === 201 &&
      isError(exchange.gateway, 400, 'ExceedsLimitError')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-CLONE-14',
    settle: (exchange) =>
      isClone(exchange) &&
      hasNamelessVariant(exchange) &&
      [201, 500].includes(exchange.upstream.status) &&
      isError(exchange.gateway, 400, 'BadDataError')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-CLONE-1',
    settle: ({ upstream, gateway, ...exchange }) =>
      isClone({ upstream, gateway, ...exchange }) &&
      upstream.status === 201 &&
      gateway.status === 200
        ? { upstream: { ...upstream, status: 200 } }
        : undefined,
  },
  {
    id: 'D-CLONE-3',
    settle: ({ upstream, gateway, request }) => {
      if (request.operation !== 'clone' || upstream.status !== 200 || !isBody(gateway.body))
        return undefined;
      const keys = Object.keys(gateway.body);
      const further = keys.slice(KEYS.length);
      const isExpected = further.length > 0 && further.every((key) => FURTHER_KEYS.includes(key));
      if (!isExpected || keys.slice(0, KEYS.length).join() !== KEYS.join()) return undefined;
      return {
        gateway: withBody(gateway, (body) =>
          Object.fromEntries(Object.entries(body).slice(0, KEYS.length)),
        ),
      };
    },
  },
  { id: 'D-CLONE-4', inRows: true },
  { id: 'D-CLONE-12', inRows: true },
  { id: 'D-CLONE-16', inRows: true },
  { id: 'D-CLONE-10', notMetBecause: 'such a pattern would hang upstream' },
  { id: 'D-CLONE-11', notMetBecause: 'only visible when two clones happen to race' },
  { id: 'D-CLONE-18', notMetBecause: 'no compared request sends an Idempotency-Key' },
  { id: 'D-CLONE-19', notMetBecause: 'only visible when a change and a clone happen to race' },
];
