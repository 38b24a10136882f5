import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { createMigratedDatabase, type TestDatabase } from '../../testkit/database.js';
import { readQuery } from '../../testkit/promql.js';

type Named = [name: string, query: string];
type Panel = { title: string; targets?: { expr: string }[] };
type Rule = {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: Record<string, string>;
};

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const dashboard = JSON.parse(read('deploy/grafana/dashboard.json'));
const rules: Rule[] = parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);

const panels: Named[] = dashboard.panels.flatMap(({ title, targets = [] }: Panel) =>
  targets.map(({ expr }): Named => [title, expr]),
);
const alerts = rules.map(({ alert, expr }): Named => [alert, expr]);
const variables: Named[] = dashboard.templating.list.flatMap(
  ({ name, query }: { name: string; query: string }) => {
    const [, series, label] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? [];
    return series ? [[name, `sum by (${label}) (${series})`] as Named] : [];
  },
);

/** Labels that Prometheus adds when it scrapes. */
const SCRAPED = ['job', 'instance'];

let store: TestDatabase;
let database: Database;
let gateway: Gateway;
/** Names of all possible series, including those without a value so far. */
let names: Set<string>;
/** The labels of each series of `/metrics`, by its name. */
let series: Map<string, Record<string, string>[]>;

const HISTOGRAM = ['_bucket', '_count', '_sum'];

const readNames = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
      (type === 'histogram' ? HISTOGRAM : ['']).map((ending) => `${name}${ending}`),
    ),
  );

const readSeries = (text: string): typeof series => {
  const found: typeof series = new Map();
  for (const line of text.split('\n')) {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === '') continue;
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [
      label,
      value,
    ]);
    found.set(name, [...(found.get(name) ?? []), Object.fromEntries(pairs)]);
  }
  return found;
};

beforeAll(async () => {
  store = await createMigratedDatabase('demo');
  database = await openDatabase({
    dataDir: 'memory://',
    databaseUrl: store.url,
    // Not a replica, but reported as one.
    replicaUrls: [store.url],
  });
  gateway = await startGateway(database);
  await gateway.graphql('{ events(first: 2) { totalCount nodes { feature { name } } } }');
  await gateway.rest('/api/admin/search/events?limit=1');
  const aborting = new AbortController();
  const aborted = fetch(`${gateway.url}/graphql`, { method: 'POST', signal: aborting.signal });
  aborting.abort();
  await aborted.catch(() => undefined);
  const { text } = await gateway.rest('/metrics');
  names = readNames(text);
  series = readSeries(text);
});
afterAll(async () => {
  await gateway.stop();
  await database.close();
  await store.drop();
});

const labelsOf = (metric: string): Set<string> =>
  new Set([...SCRAPED, ...(series.get(metric) ?? []).flatMap((labels) => Object.keys(labels))]);

/** Values that occur only after a failure. */
const RARE = ['aborted'];

describe.each([
  ['panel', panels],
  ['alert', alerts],
  ['variable', variables],
])('every %s', (_kind, queries) => {
  test.each(queries)('%s uses existing metrics and labels: %s', (_name, text) => {
    const { selectors, grouping } = readQuery(text);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, matchers } of selectors) {
      expect([...names]).toContain(metric);
      for (const { label, operator, value } of matchers) {
        expect([...labelsOf(metric)]).toContain(label);
        if (operator !== '=' || RARE.includes(value)) continue;
        expect(series.get(metric)?.map((labels) => labels[label])).toContain(value);
      }
    }
    const known = new Set(selectors.flatMap(({ metric }) => [...labelsOf(metric)]));
    for (const label of grouping) expect([...known]).toContain(label);
  });
});

/** The metric of a series. */
const metricOf = (name: string) => name.replace(/_(bucket|count|sum)$/, '');

const ownMetrics = () =>
  new Set([...names].filter((name) => name.startsWith('flaggraph_')).map(metricOf));

test('every metric of the gateway is on the dashboard', () => {
  const selectors = panels.flatMap(([, text]) => readQuery(text).selectors);
  const plotted = new Set(selectors.map(({ metric }) => metricOf(metric)));
  expect([...ownMetrics()].filter((name) => !plotted.has(name))).toEqual([]);
});

test('every alert has a duration, a severity, a summary and a description', () => {
  expect(rules.length).toBeGreaterThan(8);
  for (const { alert, for: wait, labels, annotations } of rules) {
    expect(alert).toMatch(/^Flaggraph[A-Z]/);
    expect(wait).toMatch(/^\d+m$/);
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(annotations['summary']).toBeTruthy();
    expect(annotations['description']).toBeTruthy();
  }
});

test('every metric of the gateway is documented', () => {
  const page = read('docs/operations/observability.md');
  for (const name of ownMetrics()) expect(page).toContain(`\`${name}\``);
});
