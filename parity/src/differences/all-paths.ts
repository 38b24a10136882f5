import type { Difference } from '../differences.js';
import type { Exchange } from '../exchange.js';
import type { WireRequest } from '../http.js';
import { partsOf, queryOf } from '../query.js';
import { errorName, isBody, isError } from '../view.js';
import {
  accept,
  areBothBadData,
  askAgain,
  hasOnlyKeys,
  isBlamedOnCaller,
  listIn,
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

/** Asked again where personal tokens are not held to project default. */
const settleEdition = async ({ original, wire, askUnrestricted }: Exchange) => {
  if (!isError(original, 403, 'PermissionError')) return undefined;
  if (!wire.headers['authorization']?.includes('user:')) return undefined;
  const unrestricted = await askUnrestricted(wire);
  return isError(unrestricted, 403, 'PermissionError') ? undefined : { original: unrestricted };
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

const textsOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isBody(value)) return [];
  return ['message', 'label', 'summary'].flatMap((key) =>
    typeof value[key] === 'string' ? [value[key]] : [],
  );
};

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

/** Whether a path is one of the four, as both sides read paths. */
const isKept = (wire: WireRequest) => {
  const path = partsOf(wire).join('/').toLowerCase();
  return KEPT_PATHS.some((pattern) => pattern.test(path));
};

/** Found out by asking the original again, so they come before all that look at what it answers. */
export const ASKED_AGAIN: readonly Difference[] = [
  {
    id: 'D-INT-4',
    settle: (exchange) =>
      exchange.request.operation === 'integration events' &&
      names(exchange, 'project', 'projectId', 'environment', 'environmentId')
        ? settleEdition(exchange)
        : undefined,
  },
  {
    id: 'D-CLONE-8',
    settle: (exchange) =>
      exchange.request.operation === 'clone' &&
      partsOf(exchange.wire)[3] === 'default' &&
      names(exchange, 'environment', 'environmentId')
        ? settleEdition(exchange)
        : undefined,
  },
  {
    id: 'D-AUTH-4',
    settle: (exchange) =>
      exchange.request.operation === 'clone' && partsOf(exchange.wire)[3] !== 'default'
        ? settleEdition(exchange)
        : undefined,
  },
  {
    id: 'D-AUTH-7',
    settle: async ({ request, original, wire, world, askOriginal }) => {
      if (request.caller !== 'badEmail' || !isError(original, 401, 'UnauthorizedError')) {
        return undefined;
      }
      // Both are administrators.
      const authorization = world.callers['rootAdmin'] ?? '';
      const ask = (asked: WireRequest) =>
        askOriginal({ ...asked, headers: { ...asked.headers, authorization } });
      return { original: await ask(wire), askOriginal: ask };
    },
  },
  {
    id: 'D-ALL-6',
    settle: async (exchange) => {
      if (mediaTypeOf(exchange.wire) !== 'application/x-www-form-urlencoded') return undefined;
      if (exchange.request.operation === 'clone') {
        return isError(exchange.gateway, 415, 'ContentTypeerror') ? accept(exchange) : undefined;
      }
      const { body: _, headers, ...bodiless } = exchange.wire;
      const { 'content-type': _type, 'content-length': _length, ...kept } = headers;
      return askAgain(exchange, { ...bodiless, headers: kept });
    },
  },
  {
    id: 'D-ALL-10',
    settle: (exchange) => {
      const { wire, request } = exchange;
      const given = wire.headers['content-type'] ?? '';
      if (!/;\s*$/.test(given) || request.operation === 'clone') return undefined;
      const headers = { ...wire.headers, 'content-type': given.replace(/;\s*$/, '') };
      return askAgain(exchange, { ...wire, headers });
    },
  },
  { id: 'D-ALL-13', notMetBecause: 'nothing that the original records has such a time' },
  {
    id: 'D-ALL-12',
    settle: (exchange) => {
      const { wire, original } = exchange;
      if (wire.body?.length !== 0 || original.status < 400) return undefined;
      const { 'content-encoding': _, ...rest } = wire.headers;
      return askAgain(exchange, {
        ...wire,
        headers: { ...rest, 'content-type': mediaTypeOf(wire) },
      });
    },
  },
];

export const ALL_PATHS: readonly Difference[] = [
  {
    id: 'D-AUTH-5',
    settle: (exchange) =>
      exchange.wire.headers['cookie'] !== undefined &&
      exchange.original.status < 400 &&
      isError(exchange.gateway, 401, 'AuthenticationRequired')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-AUTH-6',
    settle: (exchange) =>
      exchange.request.caller === 'revokedToken' &&
      exchange.original.status === 200 &&
      isError(exchange.gateway, 401, 'AuthenticationRequired')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-AUTH-1',
    settle: ({ original }) =>
      isError(original, 401, 'UnauthorizedError')
        ? { original: withBody(original, (body) => ({ ...body, name: 'AuthenticationRequired' })) }
        : undefined,
  },
  {
    id: 'D-AUTH-3',
    settle: (exchange) =>
      exchange.original.status === 403 &&
      hasOnlyKeys(exchange.original.body, 'message') &&
      isError(exchange.gateway, 403, 'NoAccessError') &&
      hasOnlyKeys(exchange.gateway.body, ...ERROR_KEYS, 'permissions')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-CLONE-9',
    settle: ({ original }) =>
      isError(original, 403, 'PermissionError') &&
      isBody(original.body) &&
      String(original.body['permissions']) === 'SKIP_CHANGE_REQUEST'
        ? { original: withBody(original, (body) => ({ ...body, name: 'NoAccessError' })) }
        : undefined,
  },
  {
    id: 'D-AUTH-2',
    settle: ({ original }) =>
      isError(original, 403, 'PermissionError')
        ? { original: withBody(original, (body) => ({ ...body, name: 'NoAccessError' })) }
        : undefined,
  },
  {
    id: 'D-ALL-2',
    settle: (exchange) =>
      isBlamedOnCaller(exchange) && partsOf(exchange.wire).some(isUndecodable)
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-ALL-3',
    settle: (exchange) =>
      // Where something else is wrong as well, the original may name that.
      (isBlamedOnCaller(exchange) || areBothBadData(exchange)) && hasNul(exchange.wire)
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
    settle: ({ wire, original, gateway }) =>
      wire.method === 'OPTIONS' && original.status === 200
        ? { original: { ...original, contentType: gateway.contentType } }
        : undefined,
  },
  {
    id: 'D-ALL-1',
    settle: (exchange) =>
      hasOnlyKeys(exchange.original.body, 'message') &&
      exchange.gateway.status === exchange.original.status &&
      errorName(exchange.gateway) === NAME_BY_STATUS[exchange.original.status] &&
      hasOnlyKeys(exchange.gateway.body, ...ERROR_KEYS)
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-ALL-8',
    settle: (exchange) =>
      exchange.original.status === 431 &&
      exchange.original.body === '' &&
      isError(exchange.gateway, 431, 'BadDataError')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-ALL-9',
    settle: ({ original, gateway }) => {
      const theirs = listIn(original, 'details');
      const ours = listIn(gateway, 'details');
      if (!theirs || !ours || theirs.some(hasPath) || !ours.some(hasPath)) return undefined;
      return {
        gateway: withBody(gateway, (body) => ({ ...body, details: ours.map(withoutPath) })),
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
    isNoted: ({ answers: { original, gateway } }) =>
      textsOf(original.json).join() !== textsOf(gateway.json).join(),
  },
];
