import type { Difference } from '../differences.js';
import type { Exchange } from '../exchange.js';
import type { WireRequest } from '../http.js';
import { partsOf, queryOf } from '../query.js';
import { isAtLeast } from '../version.js';
import { errorName, isBody, isError } from '../view.js';
import {
  accept,
  areBothBadData,
  hasOnlyKeys,
  isClientError,
  listIn,
  resend,
  withBody,
} from './settle.js';

const NAME_BY_STATUS: Record<number, string> = {
  400: 'BadDataError',
  413: 'PayloadTooLargeError',
  415: 'ContentTypeerror',
  503: 'MaintenanceModeError',
};

const ERROR_KEYS = ['id', 'name', 'message', 'details'];

const mediaTypeOf = ({ headers }: WireRequest) =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

const isUndecodable = (part: string) => {
  try {
    decodeURIComponent(part);
    return false;
  } catch {
    return true;
  }
};

const hasNul = (wire: WireRequest) =>
  JSON.stringify(queryOf(wire)).includes('\\u0000') ||
  partsOf(wire).some((part) => !isUndecodable(part) && decodeURIComponent(part).includes('\0')) ||
  /\\u0000/.test(wire.body?.toString('utf8') ?? '');

/** Whether a body has more than 100 levels or 5,000 values. */
const hasOddShape = ({ body }: WireRequest) => {
  const text = body?.toString('utf8') ?? '';
  return /[[{]{101}/.test(text) || text.split(',').length > 5_001;
};

/** Resends the request to upstream without the restriction of personal tokens to project default. */
const settleEdition = async ({ upstream, wire, sendToUnrestricted }: Exchange) => {
  if (!isError(upstream, 403, 'PermissionError')) return undefined;
  if (!wire.headers['authorization']?.includes('user:')) return undefined;
  const unrestricted = await sendToUnrestricted(wire);
  return isError(unrestricted, 403, 'PermissionError')
    ? undefined
    : { upstream: unrestricted, sendToUpstream: sendToUnrestricted };
};

const bodyOf = ({ wire }: Exchange): unknown => {
  try {
    return JSON.parse(wire.body?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
};

const names = (exchange: Exchange, ...fields: string[]) => {
  const body = bodyOf(exchange);
  return isBody(body) && fields.some((field) => field in body);
};

/** Whether the path or the body has a value that the open source edition forbids to users. */
const isRestricted = (exchange: Exchange) => {
  const { operation } = exchange.request;
  if (operation === 'clone') {
    const isElsewhere = partsOf(exchange.wire)[3] !== 'default';
    return isElsewhere || names(exchange, 'environment', 'environmentId');
  }
  return (
    operation === 'integration events' &&
    names(exchange, 'project', 'projectId', 'environment', 'environmentId')
  );
};

/** 6.7 to 6.10 load users whose stored email address is invalid (D-AUTH-7). */
const loadsAnyEmail = ({ version }: Exchange) =>
  isAtLeast(version, '6.7.0') && !isAtLeast(version, '7.0.0');

/** Whether the headers say that a page of another origin sent the request. */
const isCrossSite = ({ headers }: WireRequest) => headers['sec-fetch-site'] === 'cross-site';

const textsOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isBody(value)) return [];
  return ['message', 'label', 'summary'].flatMap((key) =>
    typeof value[key] === 'string' ? [value[key]] : [],
  );
};

const isSdkRefusal = ({ upstream }: Exchange) =>
  upstream.status === 403 && hasOnlyKeys(upstream.body, 'message');

const hasPath = (detail: unknown) => isBody(detail) && 'path' in detail;

const withoutPath = (detail: unknown) => {
  if (!isBody(detail)) return detail;
  const { path: _, ...rest } = detail;
  return rest;
};

const KEPT_PATHS = [
  /^api\/admin\/search\/events$/,
  /^api\/admin\/projects\/[^/]+\/health-report$/,
  /^api\/admin\/addons\/[^/]+\/events$/,
  /^api\/admin\/projects\/[^/]+\/features\/[^/]+\/clone$/,
];

/** Whether a path is one of the four, as both sides parse paths. */
const isKept = (wire: WireRequest) => {
  const path = partsOf(wire).join('/').toLowerCase();
  return KEPT_PATHS.some((pattern) => pattern.test(path));
};

/** These resend the request to upstream, so they must come before those that inspect its response. */
export const RESENT: readonly Difference[] = [
  {
    id: 'D-AUTH-4',
    settle: (exchange) => (isRestricted(exchange) ? settleEdition(exchange) : undefined),
  },
  {
    id: 'D-AUTH-7',
    settle: (exchange) =>
      exchange.request.caller === 'badEmail' &&
      loadsAnyEmail(exchange) &&
      isError(exchange.gateway, 401, 'AuthenticationRequired')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-ALL-6',
    settle: async (exchange) => {
      if (mediaTypeOf(exchange.wire) !== 'application/x-www-form-urlencoded') return undefined;
      if (exchange.request.operation === 'clone') {
        return isError(exchange.gateway, 415, 'ContentTypeerror') ? accept(exchange) : undefined;
      }
      const { body: _, headers, ...bodiless } = exchange.wire;
      const { 'content-type': _type, 'content-length': _length, ...remaining } = headers;
      return resend(exchange, { ...bodiless, headers: remaining });
    },
  },
  {
    id: 'D-ALL-10',
    settle: (exchange) => {
      const { wire, request } = exchange;
      const contentType = wire.headers['content-type'] ?? '';
      if (!/;\s*$/.test(contentType) || request.operation === 'clone') return undefined;
      const headers = { ...wire.headers, 'content-type': contentType.replace(/;\s*$/, '') };
      return resend(exchange, { ...wire, headers });
    },
  },
  {
    id: 'D-ALL-14',
    settle: (exchange) =>
      hasOddShape(exchange.wire) && isError(exchange.gateway, 400, 'BadDataError')
        ? accept(exchange)
        : undefined,
  },
  { id: 'D-ALL-13', notMetBecause: 'upstream records no such timestamp' },
  {
    id: 'D-ALL-12',
    settle: (exchange) => {
      const { wire, upstream } = exchange;
      if (wire.body?.length !== 0 || upstream.status < 400) return undefined;
      const { 'content-encoding': _, ...rest } = wire.headers;
      return resend(exchange, {
        ...wire,
        headers: { ...rest, 'content-type': mediaTypeOf(wire) },
      });
    },
  },
];

export const ALL_PATHS: readonly Difference[] = [
  {
    id: 'D-AUTH-5',
    settle: async ({ wire, sendToUpstream }) => {
      const isIgnored = wire.headers['authorization'] !== undefined || isCrossSite(wire);
      if (wire.headers['cookie'] === undefined || !isIgnored) return undefined;
      const sendRequest: Exchange['sendToUpstream'] = ({
        headers: { cookie: _, ...headers },
        ...sent
      }) => sendToUpstream({ ...sent, headers });
      return { upstream: await sendRequest(wire), sendToUpstream: sendRequest };
    },
  },
  {
    id: 'D-AUTH-6',
    settle: (exchange) =>
      exchange.request.caller === 'revokedToken' &&
      exchange.upstream.status === 200 &&
      isError(exchange.gateway, 401, 'AuthenticationRequired')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-AUTH-1',
    settle: ({ upstream }) =>
      isError(upstream, 401, 'UnauthorizedError')
        ? { upstream: withBody(upstream, (body) => ({ ...body, name: 'AuthenticationRequired' })) }
        : undefined,
  },
  {
    id: 'D-AUTH-3',
    settle: (exchange) =>
      (isSdkRefusal(exchange) || exchange.request.caller === 'strangeToken') &&
      isError(exchange.gateway, 403, 'NoAccessError') &&
      hasOnlyKeys(exchange.gateway.body, ...ERROR_KEYS, 'permissions')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-CLONE-9',
    settle: ({ upstream }) =>
      isError(upstream, 403, 'PermissionError') &&
      isBody(upstream.body) &&
      String(upstream.body['permissions']) === 'SKIP_CHANGE_REQUEST'
        ? { upstream: withBody(upstream, (body) => ({ ...body, name: 'NoAccessError' })) }
        : undefined,
  },
  {
    id: 'D-AUTH-2',
    settle: ({ upstream }) =>
      isError(upstream, 403, 'PermissionError')
        ? { upstream: withBody(upstream, (body) => ({ ...body, name: 'NoAccessError' })) }
        : undefined,
  },
  {
    id: 'D-ALL-2',
    settle: (exchange) =>
      isClientError(exchange) && partsOf(exchange.wire).some(isUndecodable)
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-ALL-3',
    settle: (exchange) =>
      // If the request has another error too, upstream may report that one.
      (isClientError(exchange) || areBothBadData(exchange)) && hasNul(exchange.wire)
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-ALL-5',
    settle: (exchange) =>
      /charset\s*=\s*"?utf-(?!8|16)/i.test(exchange.wire.headers['content-type'] ?? '') &&
      isError(exchange.gateway, 415, 'ContentTypeerror')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-ALL-7',
    settle: ({ wire, upstream, gateway }) =>
      wire.method === 'OPTIONS' && upstream.status === 200
        ? { upstream: { ...upstream, contentType: gateway.contentType } }
        : undefined,
  },
  {
    id: 'D-ALL-1',
    settle: (exchange) =>
      hasOnlyKeys(exchange.upstream.body, 'message') &&
      exchange.gateway.status === exchange.upstream.status &&
      errorName(exchange.gateway) === NAME_BY_STATUS[exchange.upstream.status] &&
      hasOnlyKeys(exchange.gateway.body, ...ERROR_KEYS)
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-ALL-8',
    settle: (exchange) =>
      exchange.upstream.status === 431 &&
      exchange.upstream.body === '' &&
      isError(exchange.gateway, 431, 'BadDataError')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-ALL-9',
    settle: ({ upstream, gateway }) => {
      const upstreamDetails = listIn(upstream, 'details');
      const gatewayDetails = listIn(gateway, 'details');
      if (
        !upstreamDetails ||
        !gatewayDetails ||
        upstreamDetails.some(hasPath) ||
        !gatewayDetails.some(hasPath)
      )
        return undefined;
      return {
        gateway: withBody(gateway, (body) => ({
          ...body,
          details: gatewayDetails.map(withoutPath),
        })),
      };
    },
  },
  {
    id: 'D-ALL-11',
    settle: (exchange) =>
      !isKept(exchange.wire) && isError(exchange.gateway, 404, 'NotFoundError')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-ALL-4',
    isNoted: ({ responses: { upstream, gateway } }) =>
      textsOf(upstream.json).join() !== textsOf(gateway.json).join(),
  },
];
