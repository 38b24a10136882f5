import type { Difference } from '../differences.js';
import type { Exchange } from '../exchange.js';
import { type Body, isBody, isError, type View } from '../view.js';
import { accept, listIn, withBody } from './settle.js';

const isReport = ({ request, upstream, gateway }: Exchange) =>
  request.operation === 'health report' && upstream.status === 200 && gateway.status === 200;

const withoutKeys = (body: unknown, keys: readonly string[]): unknown =>
  isBody(body)
    ? Object.fromEntries(Object.entries(body).filter(([key]) => !keys.includes(key)))
    : body;

const mapList = (view: View, key: string, map: (item: unknown) => unknown): View =>
  withBody(view, (body) =>
    Array.isArray(body[key]) ? { ...body, [key]: body[key].map(map) } : body,
  );

const hasKeyIn = (view: View, key: string, names: readonly string[]) =>
  (listIn(view, key) ?? []).some((item) => isBody(item) && names.some((name) => name in item));

/** Documented fields (sections 2.6 to 2.8) that upstream omits. */
const FEATURE_FIELDS = [
  'archived',
  'archivedAt',
  'project',
  'enabled',
  'favorite',
  'createdBy',
  'variants',
  'strategies',
  'children',
  'dependencies',
  'lifecycle',
  'collaborators',
  'segments',
  'links',
  'releasePlans',
];
const ENVIRONMENT_FIELDS = [
  'environment',
  'featureName',
  'strategies',
  'variants',
  'yes',
  'no',
  'milestoneName',
  'totalMilestones',
  'milestoneOrder',
  'changeRequestIds',
  'releasePlans',
];

/** Newer versions omit fewer fields. */
const missingIn = (view: View, fields: readonly string[]): string[] => {
  const features = (listIn(view, 'features') ?? []).filter(isBody);
  return fields.filter((field) => !features.some((feature) => field in feature));
};

const withoutFurtherFields = (feature: unknown, missing: readonly string[]): unknown => {
  const remaining = withoutKeys(feature, missing);
  if (!isBody(remaining)) return remaining;
  const { environments, tags } = remaining;
  return {
    ...remaining,
    ...(Array.isArray(environments) && {
      environments: environments.map((item) => withoutKeys(item, ENVIRONMENT_FIELDS)),
    }),
    // Upstream omits the key if there are no tags.
    ...(Array.isArray(tags) && tags.length === 0 ? { tags: undefined } : {}),
  };
};

/** Moves fields that a newer version returns to where that version has them. */
const inOrderOf = (view: View, feature: unknown): unknown => {
  const [first] = listIn(view, 'features') ?? [];
  if (!isBody(feature) || !isBody(first)) return feature;
  const further = Object.keys(first).filter(
    (key) => FEATURE_FIELDS.includes(key) && key in feature,
  );
  if (further.length === 0) return feature;
  const order = Object.keys(first);
  const own = Object.keys(feature).filter((key) => !further.includes(key));
  const keys = further.reduce((placed, key) => {
    const next = order.slice(order.indexOf(key) + 1).find((other) => placed.includes(other));
    return placed.toSpliced(next === undefined ? placed.length : placed.indexOf(next), 0, key);
  }, own);
  return Object.fromEntries(keys.map((key) => [key, feature[key]]));
};

const dropUndefined = (item: unknown) => (isBody(item) ? JSON.parse(JSON.stringify(item)) : item);

const compareTexts = (a: unknown, b: unknown) =>
  String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;

const byName = (a: unknown, b: unknown) =>
  isBody(a) && isBody(b) ? compareTexts(a['name'], b['name']) : 0;

const byTag = (a: unknown, b: unknown) =>
  isBody(a) && isBody(b)
    ? compareTexts(a['type'], b['type']) || compareTexts(a['value'], b['value'])
    : 0;

const ordered = (view: View): View => {
  const sorted = mapList(view, 'features', (feature) =>
    isBody(feature) && Array.isArray(feature['tags'])
      ? { ...feature, tags: [...feature['tags']].sort(byTag) }
      : feature,
  );
  return withBody(sorted, (body) =>
    Array.isArray(body['features'])
      ? { ...body, features: [...body['features']].sort(byName) }
      : body,
  );
};

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const isFavorite = (item: unknown) => isBody(item) && item['favorite'] === true;

const hasNoFavorites = (view: View) =>
  !isFavorite(view.body) && !(listIn(view, 'features') ?? []).some(isFavorite);

const withoutFavorites = (view: View): View =>
  mapList(
    withBody(view, (body): Body => ({ ...body, favorite: false })),
    'features',
    (feature) =>
      isFavorite(feature) && isBody(feature) ? { ...feature, favorite: false } : feature,
  );

export const HEALTH_REPORT: readonly Difference[] = [
  {
    id: 'D-HEALTH-1',
    settle: (exchange) =>
      isReport(exchange) && hasNoFavorites(exchange.upstream) && !hasNoFavorites(exchange.gateway)
        ? { gateway: withoutFavorites(exchange.gateway) }
        : undefined,
  },
  {
    id: 'D-HEALTH-2',
    settle: (exchange) =>
      isReport(exchange) && hasKeyIn(exchange.gateway, 'environments', ['changeRequestsEnabled'])
        ? {
            gateway: mapList(exchange.gateway, 'environments', (item) =>
              withoutKeys(item, ['changeRequestsEnabled']),
            ),
          }
        : undefined,
  },
  {
    id: 'D-HEALTH-3',
    settle: (exchange) =>
      isReport(exchange) && hasKeyIn(exchange.gateway, 'features', FEATURE_FIELDS)
        ? {
            gateway: mapList(exchange.gateway, 'features', (item) =>
              inOrderOf(
                exchange.upstream,
                dropUndefined(
                  withoutFurtherFields(item, missingIn(exchange.upstream, FEATURE_FIELDS)),
                ),
              ),
            ),
          }
        : undefined,
  },
  {
    id: 'D-HEALTH-4',
    settle: (exchange) =>
      // The gateway's response must already be ordered.
      isReport(exchange) && isEqual(exchange.gateway, ordered(exchange.gateway))
        ? { upstream: ordered(exchange.upstream) }
        : undefined,
  },
  {
    id: 'D-HEALTH-5',
    settle: (exchange) =>
      exchange.request.operation === 'health report' &&
      isError(exchange.upstream, 500, 'UnknownError') &&
      (listIn(exchange.gateway, 'features') ?? []).some(
        (feature) => isBody(feature) && String(feature['name']) in Object.prototype,
      )
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-HEALTH-8',
    settle: ({ upstream, gateway, ...exchange }) =>
      isReport({ upstream, gateway, ...exchange }) &&
      isBody(upstream.body) &&
      !('technicalDebt' in upstream.body)
        ? { gateway: withBody(gateway, ({ technicalDebt: _, ...body }) => body) }
        : undefined,
  },
  {
    id: 'D-HEALTH-7',
    settle: (exchange) => {
      const stats = isBody(exchange.upstream.body) ? exchange.upstream.body['stats'] : undefined;
      if (!isReport(exchange) || !isBody(stats) || !Object.values(stats).includes(null))
        return undefined;
      const figures = Object.fromEntries(
        Object.entries(stats).map(([key, figure]) => [key, figure ?? 0]),
      );
      return { upstream: withBody(exchange.upstream, (body) => ({ ...body, stats: figures })) };
    },
  },
  {
    id: 'D-HEALTH-6',
    isNoted: ({ request, responses: { upstream, gateway } }) =>
      request.operation === 'health report' &&
      upstream.headers['deprecation'] === undefined &&
      gateway.headers['deprecation'] !== undefined,
  },
];
