import { firstDifference } from './diff.js';
import type { Failure } from './report.js';
import type { Sides } from './sides.js';
import { ADMIN_TOKEN, startUpstream } from './upstream.js';

const UUID =
  /^([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})$/;

type Page = { status: number; body: unknown };

const read = async (url: string, path: string): Promise<Page> => {
  const response = await fetch(`${url}${path}`, { headers: { authorization: ADMIN_TOKEN } });
  const text = await response.text();
  return { status: response.status, body: text === '' ? '' : JSON.parse(text) };
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/;

/** Next to environments, `variants` are those of whichever environment the database returns first. */
const UNSETTLED = ['lifecycle', 'variants'];
/** Fields that newer versions write differently; the first pass has compared them row by row. */
const NEWER = ['archivedAt', 'lastSeenAt'];

/**
 * Removes IDs, timestamps and fields that are set at startup. Compares lists as sets, because the order of strategies
 * varies.
 */
const withoutIds = (value: unknown, since: string): unknown => {
  if (typeof value === 'string') {
    if (UUID.test(value)) return '<id>';
    return TIME.test(value) && value >= since ? '<time>' : value;
  }
  if (Array.isArray(value)) {
    return value
      .map((item) => withoutIds(item, since))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !('environments' in value && UNSETTLED.includes(key)))
      .filter(([key]) => !NEWER.includes(key))
      .map(([key, item]) => [key, viewItem(key, item, since)]),
  );
};

const viewItem = (key: string, item: unknown, since: string): unknown => {
  if (key === 'id' && typeof item === 'number') return '<id>';
  // Newer versions store an empty description as null.
  if (key === 'description' && item === '') return null;
  return withoutIds(item, since);
};

const pagesOf = (project: string, name: string): string[] => {
  const feature = `/api/admin/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
  return [
    feature,
    `${feature}?variantEnvironments=true`,
    `/api/admin/search/events?feature=IS:${encodeURIComponent(name)}`,
    `/api/admin/events/${encodeURIComponent(name)}`,
  ];
};

/** Pages of the whole installation instead of one copy. */
const PAGES = [
  '/api/admin/projects',
  '/api/admin/projects/default/overview',
  '/api/admin/projects/default/health-report',
  '/api/admin/projects/delta/health-report',
  '/api/admin/projects/default/insights',
  '/api/admin/search/features?project=IS:default&limit=100&sortBy=name',
  '/api/admin/features',
  '/api/admin/search/events?limit=1000',
  '/api/admin/events?limit=100',
  '/api/admin/segments',
  '/api/admin/strategies',
  '/api/admin/archive/features/default',
];

/** Upstream must show copies by the gateway like its own. */
export const createSecondPass = (sides: Sides) => {
  const since = new Date().toISOString();
  const own: { path: string; page: Page }[] = [];

  const readPages = async (name: string, project: string): Promise<void> => {
    for (const path of pagesOf(project, name))
      own.push({ path, page: await read(sides.upstream.url, path) });
  };

  /** Starts upstream on the gateway's database and compares the pages. */
  const run = async (): Promise<Failure[]> => {
    await sides.gateway.stop();
    const reader = await startUpstream(sides.version, sides.urls.gateway, { announces: false });
    const failures: Failure[] = [];
    const comparePages = (path: string, expected: Page, found: Page) => {
      const difference =
        found.status >= 500
          ? `upstream returns ${found.status} for the gateway's rows: ${JSON.stringify(found.body)}`
          : firstDifference(withoutIds(expected, since), withoutIds(found, since), 'page');
      if (difference) failures.push({ what: `second pass, ${path}`, difference });
    };
    try {
      for (const { path, page } of own) comparePages(path, page, await read(reader.url, path));
      for (const path of PAGES)
        comparePages(path, await read(sides.upstream.url, path), await read(reader.url, path));
    } finally {
      await reader.stop();
    }
    return failures;
  };
  return { look: readPages, run };
};
