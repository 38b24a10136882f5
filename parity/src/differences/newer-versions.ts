import type { Difference } from '../differences.js';
import type { Exchange } from '../exchange.js';
import { isAtLeast } from '../version.js';
import { type Body, errorName, isBody, isError, messageOf, type View } from '../view.js';
import type { Row } from '../world/sql.js';
import { accept, listIn, withBody } from './settle.js';

const isSince = ({ version }: Exchange, wanted: string) => isAtLeast(version, wanted);

/** Of a refusal that names them in its message only. */
const missingPermissions = ({ original }: Exchange): string[] | undefined => {
  if (errorName(original) !== 'PermissionError') return undefined;
  const named = /"([A-Z_]+)" permission/.exec(messageOf(original))?.[1];
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

const constraintsOf = ({ request }: Exchange): Row[] =>
  (request.source?.strategies ?? []).flatMap(({ constraints }) =>
    Array.isArray(constraints) ? constraints.filter(isBody) : [],
  );

/** Sources with a constraint the newer rules let pass. */
const hasNewlySound = (exchange: Exchange) =>
  exchange.request.clone?.source === 'bad-version-build' ||
  constraintsOf(exchange).some(({ operator }) => String(operator).startsWith('SEMVER_'));

/** Sources with an operator that wants a value and has none. */
const hasNewlyBroken = (exchange: Exchange) =>
  exchange.request.clone?.source === 'numbers-without-value' ||
  constraintsOf(exchange).some(
    ({ value }) => value === undefined || value === null || value === '',
  );

const isGrouped = (event: unknown) => isBody(event) && ('groupType' in event || 'groupId' in event);

const withoutGroups = (view: View): View =>
  withBody(view, (body) =>
    Array.isArray(body['events'])
      ? {
          ...body,
          events: body['events'].map((event: unknown) => {
            if (!isBody(event)) return event;
            const { groupType: _type, groupId: _id, ...rest } = event;
            return rest;
          }),
        }
      : body,
  );

/** What changed in versions after 6.6, while we go on answering as 6.6.0 does. */
export const NEWER_VERSIONS: readonly Difference[] = [
  {
    id: 'D-NEW-10',
    settle: async (exchange) => {
      const { request, original, gateway, wire, world } = exchange;
      const { source } = request.clone ?? {};
      if (!isSince(exchange, '8.0.0') || request.operation !== 'clone') return undefined;
      if (!isError(original, 404, 'NotFoundError') || source === undefined) return undefined;
      const exists = world.features.includes(source) || request.source !== undefined;
      // It looks for the source before anything else, so nothing else is found out.
      if (!exists) return gateway.status >= 400 ? { original: gateway } : undefined;
      return { original: await exchange.askWithLocalSource(wire) };
    },
  },
  {
    id: 'D-NEW-12',
    settle: (exchange) =>
      isSince(exchange, '8.0.0') &&
      isError(exchange.original, 404, 'NotFoundError') &&
      /the parent and the child/.test(messageOf(exchange.original)) &&
      isError(exchange.gateway, 403, 'InvalidOperationError')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-NEW-13',
    settle: (exchange) => {
      const { request, original, gateway } = exchange;
      if (!isSince(exchange, '8.0.0') || request.operation !== 'clone') return undefined;
      const isLaxer = original.status === 201 && isError(gateway, 400, 'BadDataError');
      const isStricter = isError(original, 400, 'BadDataError') && gateway.status === 200;
      const isKnown = isLaxer ? hasNewlySound(exchange) : isStricter && hasNewlyBroken(exchange);
      return isKnown ? accept(exchange) : undefined;
    },
  },
  {
    id: 'D-NEW-11',
    settle: async (exchange) => {
      const { request, wire, world, askWithLocalSource } = exchange;
      if (!isSince(exchange, '8.0.0') || request.operation !== 'clone') return undefined;
      if (!isError(exchange.original, 403, 'PermissionError')) return undefined;
      if (exchange.gateway.status === 403) return undefined;
      // As somebody who holds all permissions there are.
      const authorization = world.callers['adminToken'] ?? '';
      const asked = { ...wire, headers: { ...wire.headers, authorization } };
      return { original: await askWithLocalSource(asked), hasOtherAuthor: true };
    },
  },
  {
    id: 'D-NEW-6',
    settle: async (exchange) => {
      const { request, world, wire, askOriginal } = exchange;
      if (!isSince(exchange, '7.0.0') || request.operation !== 'search events') return undefined;
      if (request.caller !== 'admiN' || exchange.original.status !== 200) return undefined;
      // By the older rule he sees what a root administrator sees.
      const authorization = world.callers['rootAdmin'] ?? '';
      const ask: Exchange['askOriginal'] = (asked) =>
        askOriginal({ ...asked, headers: { ...asked.headers, authorization } });
      return { original: await ask(wire), askOriginal: ask };
    },
  },
  {
    id: 'D-NEW-2',
    settle: (exchange) => {
      const { original } = exchange;
      if (!isSince(exchange, '7.0.0') || original.status < 400 || !isBody(original.body))
        return undefined;
      if ('id' in original.body || !('name' in original.body)) return undefined;
      const permissions = missingPermissions(exchange);
      return {
        original: withBody(original, (body) => ({
          id: '<id>',
          ...body,
          ...(permissions && !('permissions' in body) && { permissions }),
        })),
      };
    },
  },
  { id: 'D-NEW-5', inRows: true },
  { id: 'D-NEW-7', inRows: true },
  {
    id: 'D-NEW-9',
    inRows: true,
    settle: (exchange) => {
      const { original, gateway, request } = exchange;
      if (!isSince(exchange, '8.0.0') || !isBody(original.body)) return undefined;
      if (request.operation === 'clone') {
        if (original.status !== 201 || 'lastSeenAt' in original.body) return undefined;
        return {
          original: withBody(original, (body) =>
            insertAfter(body, 'createdAt', { lastSeenAt: null }),
          ),
        };
      }
      if (request.operation !== 'health report' || original.status !== 200) return undefined;
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
      const { original, gateway, request } = exchange;
      if (!isSince(exchange, '6.10.0') || request.operation !== 'clone') return undefined;
      if (!isBody(original.body) || !isBody(gateway.body)) return undefined;
      if (original.body['description'] !== null || gateway.body['description'] !== '')
        return undefined;
      return { original: withBody(original, (body) => ({ ...body, description: '' })) };
    },
  },
  {
    id: 'D-NEW-3',
    inRows: true,
    settle: (exchange) => {
      if (!isSince(exchange, '7.0.0') || exchange.request.operation !== 'search events')
        return undefined;
      if (exchange.original.status !== 200) return undefined;
      const hasGroups = (listIn(exchange.original, 'events') ?? []).some(isGrouped);
      const askOriginal: Exchange['askOriginal'] = async (wire) =>
        withoutGroups(await exchange.askOriginal(wire));
      // A later look at other pages may meet them even where this page has none.
      return {
        original: hasGroups ? withoutGroups(exchange.original) : exchange.original,
        askOriginal,
      };
    },
  },
  {
    id: 'D-NEW-4',
    settle: (exchange) => {
      const { original, request } = exchange;
      if (!isSince(exchange, '7.0.0') || request.operation !== 'health report') return undefined;
      if (!isBody(original.body) || typeof original.body['technicalDebt'] !== 'number')
        return undefined;
      return { original: withBody(original, ({ technicalDebt: _, ...body }) => body) };
    },
  },
  {
    id: 'D-NEW-1',
    inRows: true,
    settle: ({ version, request, original }) => {
      if (!isAtLeast(version, '6.10.0') || request.operation !== 'clone') return undefined;
      if (original.status !== 201 || !isBody(original.body) || 'archivedAt' in original.body) {
        return undefined;
      }
      return {
        original: withBody(original, ({ archived, ...body }) => ({
          ...body,
          archivedAt: null,
          archived,
        })),
      };
    },
  },
];
