import { firstDifference } from '../diff.js';
import { readEvents } from './deliveries.js';
import { normalize } from './normalize.js';
import { sendRequest } from './requests.js';
import { shapeOf } from './shape.js';
import type { Stage } from './stage.js';

const ENVIRONMENTS = ['development', 'production', 'staging'];

/** Pages of upstream's admin API that show a feature. */
const pagesOf = (name: string): string[] => {
  const feature = `/api/admin/projects/default/features/${name}`;
  return [
    feature,
    `${feature}?variantEnvironments=true`,
    `${feature}/lifecycle`,
    ...ENVIRONMENTS.flatMap((environment) => [
      `${feature}/environments/${environment}`,
      `${feature}/environments/${environment}/strategies`,
      `${feature}/environments/${environment}/variants`,
    ]),
    `/api/admin/features/${name}/tags`,
    `/api/admin/events/${name}`,
    `/api/admin/search/events?feature=IS:${name}&limit=1000`,
    `/api/admin/search/features?project=IS:default&query=${name}`,
  ];
};

const deliveredOf = async ({ sql, deliveries }: Stage, name: string) => {
  const events = await readEvents(sql, [name]);
  return events.flatMap((event) =>
    deliveries.expected(event).map((path) => ({ path, body: deliveries.body(path, event.id) })),
  );
};

const showPages = async (stage: Stage, name: string) => {
  const paths = pagesOf(name);
  return Promise.all(
    paths.map(async (path) => {
      const authorization = stage.as('adminToken');
      const { status, json } = await sendRequest(`${stage.upstream().url}${path}`, {
        authorization,
      });
      return { path, status, body: json };
    }),
  );
};

/** A feature in upstream's admin API (optional), its deliveries and its tables. */
export type FeatureSnapshot = { pages?: unknown; deliveries: unknown; rows: unknown };

export const readSnapshot = async (
  stage: Stage,
  name: string,
  hasPages: boolean,
): Promise<FeatureSnapshot> => {
  const options = { since: stage.since, version: stage.version };
  const pages = hasPages ? await showPages(stage, name) : [];
  const missing = pages.find(({ status }) => status !== 200);
  if (missing) throw new Error(`${missing.path} returned ${missing.status}`);
  return {
    pages: normalize(pages, { ...options, name }),
    deliveries: normalize(await deliveredOf(stage, name), { ...options, name }),
    rows: await shapeOf(stage.sql, name, options),
  };
};

/** Compares a copy by the gateway with a copy by upstream. */
export const snapshotDifference = (
  name: string,
  upstream: FeatureSnapshot,
  gateway: FeatureSnapshot,
): string | undefined => firstDifference(upstream, gateway, name);
