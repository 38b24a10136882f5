import type { Difference } from '../differences.js';
import type { Exchange } from '../exchange.js';
import { isAtLeast } from '../version.js';
import { type Body, errorName, isBody, isError, messageOf } from '../view.js';
import { listIn, withBody } from './settle.js';

const isSince = ({ version }: Exchange, since: string) => isAtLeast(version, since);

/** Permissions of an error that names them only in its message. */
const missingPermissions = ({ upstream }: Exchange): string[] | undefined => {
  if (errorName(upstream) !== 'PermissionError') return undefined;
  const named = /"([A-Z_]+)" permission/.exec(messageOf(upstream))?.[1];
  return named === undefined ? undefined : [named];
};

const insertAfter = (body: Body, key: string, further: Body): Body =>
  Object.fromEntries(
    Object.entries(body).flatMap((entry) =>
      entry[0] === key ? [entry, ...Object.entries(further)] : [entry],
    ),
  );

const withoutLastSeen = (feature: unknown) => {
  if (!isBody(feature)) return feature;
  const { lastSeenAt: _, ...rest } = feature;
  return rest;
};

/** Changes since 6.6 where the gateway behaves the same on all versions. */
export const NEWER_VERSIONS: readonly Difference[] = [
  {
    id: 'D-NEW-10',
    settle: async (exchange) => {
      const { request, upstream, gateway, wire, world } = exchange;
      const { source } = request.clone ?? {};
      if (!isSince(exchange, '8.0.0') || request.operation !== 'clone') return undefined;
      if (!isError(upstream, 404, 'NotFoundError') || source === undefined) return undefined;
      const exists = world.features.includes(source) || request.source !== undefined;
      // 8.x looks up the source first, so it reports no other error.
      if (!exists) return gateway.status >= 400 ? { upstream: gateway } : undefined;
      return { upstream: await exchange.sendWithLocalSource(wire) };
    },
  },
  {
    id: 'D-NEW-6',
    settle: async (exchange) => {
      const { request, world, wire, sendToUpstream } = exchange;
      if (isSince(exchange, '7.0.0') || request.operation !== 'search events') return undefined;
      if (request.caller !== 'admiN' || exchange.upstream.status !== 200) return undefined;
      // The role is not a root role, so it grants no more than no role at all.
      const authorization = world.callers['noRole'] ?? '';
      const sendRequest: Exchange['sendToUpstream'] = (sent) =>
        sendToUpstream({ ...sent, headers: { ...sent.headers, authorization } });
      return { upstream: await sendRequest(wire), sendToUpstream: sendRequest };
    },
  },
  {
    id: 'D-NEW-2',
    settle: (exchange) => {
      const { upstream } = exchange;
      if (!isSince(exchange, '7.0.0') || upstream.status < 400 || !isBody(upstream.body))
        return undefined;
      if ('id' in upstream.body || !('name' in upstream.body)) return undefined;
      const permissions = missingPermissions(exchange);
      return {
        upstream: withBody(upstream, (body) => ({
          id: '<id>',
          ...body,
          ...(permissions && !('permissions' in body) && { permissions }),
        })),
      };
    },
  },
  { id: 'D-NEW-5', inRows: true },
  { id: 'D-NEW-13', notMetBecause: 'no route stores a pattern that does not compile' },
  {
    id: 'D-NEW-9',
    inRows: true,
    settle: (exchange) => {
      const { upstream, gateway, request } = exchange;
      if (!isSince(exchange, '8.0.0') || !isBody(upstream.body)) return undefined;
      if (request.operation === 'clone') {
        if (upstream.status !== 201 || 'lastSeenAt' in upstream.body) return undefined;
        return {
          upstream: withBody(upstream, (body) =>
            insertAfter(body, 'createdAt', { lastSeenAt: null }),
          ),
        };
      }
      if (request.operation !== 'health report' || upstream.status !== 200) return undefined;
      const features = listIn(gateway, 'features') ?? [];
      if (!features.some((feature) => isBody(feature) && 'lastSeenAt' in feature)) return undefined;
      return {
        gateway: withBody(gateway, (body) => ({
          ...body,
          features: features.map(withoutLastSeen),
        })),
      };
    },
  },
  {
    id: 'D-NEW-8',
    inRows: true,
    settle: (exchange) => {
      const { upstream, gateway, request } = exchange;
      if (!isSince(exchange, '6.10.0') || request.operation !== 'clone') return undefined;
      if (!isBody(upstream.body) || !isBody(gateway.body)) return undefined;
      if (upstream.body['description'] !== null || gateway.body['description'] !== '')
        return undefined;
      return { upstream: withBody(upstream, (body) => ({ ...body, description: '' })) };
    },
  },
  {
    id: 'D-NEW-1',
    inRows: true,
    settle: ({ version, request, upstream }) => {
      if (!isAtLeast(version, '6.10.0') || request.operation !== 'clone') return undefined;
      if (upstream.status !== 201 || !isBody(upstream.body) || 'archivedAt' in upstream.body) {
        return undefined;
      }
      return {
        upstream: withBody(upstream, ({ archived, ...body }) => ({
          ...body,
          archivedAt: null,
          archived,
        })),
      };
    },
  },
];
