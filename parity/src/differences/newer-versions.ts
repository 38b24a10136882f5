import type { Difference } from '../differences.js';
import type { Exchange } from '../exchange.js';
import { isAtLeast } from '../version.js';
import { errorName, isBody, type View } from '../view.js';
import { listIn, withBody } from './settle.js';

const isSince = ({ version }: Exchange, wanted: string) => isAtLeast(version, wanted);

/** Of a refusal that names them in its message only. */
const missingPermissions = ({ original, answers }: Exchange): string[] | undefined => {
  if (errorName(original) !== 'PermissionError' || !isBody(answers.original.json)) return undefined;
  const named = /"([A-Z_]+)" permission/.exec(String(answers.original.json['message']))?.[1];
  return named === undefined ? undefined : [named];
};

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
    id: 'D-NEW-8',
    inRows: true,
    settle: (exchange) => {
      const { original, gateway, request } = exchange;
      if (!isSince(exchange, '7.0.0') || request.operation !== 'clone') return undefined;
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
