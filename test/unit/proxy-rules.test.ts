import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { REST_PATHS } from '../../src/rest/router.js';
import {
  belowBasePath,
  ROUTED_PATHS,
  ROUTED_WITHOUT_AUTHORIZATION,
  type RoutedPath,
  withBasePath,
} from '../testkit/routed-paths.js';
import { matchesRule } from '../testkit/traefik-rule.js';

const HOST = 'flags.example.com';
const AUTHORIZATION = { authorization: 'Bearer user:abc' };
const BASE_PATH = '/flags';

const read = (name: string): string =>
  readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const readExample = (name: string): string => read(`examples/proxies/${name}`);

/** Returns the service that receives a request for a path, according to a configuration file. */
type Route = (configuration: string, path: string, headers: Record<string, string>) => string;

type TraefikFile = {
  http: {
    routers: Record<string, { rule: string; priority: number; service: string }>;
    services: Record<string, { loadBalancer: { servers: { url: string }[] } }>;
  };
};

type IngressRoute = {
  spec: {
    routes: { match: string; priority: number; services: { name: string; port: number }[] }[];
  };
};

type Ingress = {
  metadata: { annotations: Record<string, string> };
  spec: {
    rules: {
      host: string;
      http: { paths: { path: string; backend: { service: { name: string } } }[] };
    }[];
  };
};

const PORTS: Readonly<Record<string, string>> = { 4000: 'gateway', 4242: 'unleash' };

const firstMatch = (
  rules: readonly { rule: string; priority: number; server: string }[],
  path: string,
  headers: Record<string, string>,
): string =>
  rules
    .toSorted((a, b) => b.priority - a.priority)
    .find(({ rule }) => matchesRule(rule, { host: HOST, path, headers }))?.server ?? 'none';

const byTraefikFile: Route = (configuration, path, headers) => {
  const { routers, services } = (parse(configuration) as TraefikFile).http;
  const rules = Object.values(routers).map(({ rule, priority, service }) => {
    const port = new URL(services[service]?.loadBalancer.servers[0]?.url ?? '').port;
    return { rule, priority, server: PORTS[port] ?? port };
  });
  return firstMatch(rules, path, headers);
};

const byIngressRoute: Route = (configuration, path, headers) => {
  const { routes } = (parse(configuration) as IngressRoute).spec;
  const rules = routes.map(({ match, priority, services: [service] }) => ({
    rule: match,
    priority,
    server: PORTS[service?.port ?? 0] ?? 'none',
  }));
  return firstMatch(rules, path, headers);
};

/** Like ingress-nginx with `use-regex`: anchored at the start, case-insensitive, longest path first. */
const byIngressNginx: Route = (configuration, path) => {
  const { metadata, spec } = parse(configuration) as Ingress;
  expect(metadata.annotations['nginx.ingress.kubernetes.io/use-regex']).toBe('true');
  const { name } = (spec.rules.find(({ host }) => host === HOST)?.http.paths ?? [])
    .toSorted((a, b) => b.path.length - a.path.length)
    .find((entry) => new RegExp(`^${entry.path}`, 'i').test(path))?.backend.service ?? { name: '' };
  return name === 'flaggraph' ? 'gateway' : name;
};

const routedBy = (
  route: Route,
  configuration: string,
  paths: readonly RoutedPath[],
  headers: Record<string, string>,
): RoutedPath[] =>
  paths.map(({ method, target }) => {
    const path = decodeURIComponent(new URL(target, `http://${HOST}`).pathname);
    return { method, target, by: route(configuration, path, headers) as RoutedPath['by'] };
  });

describe.each([
  { file: 'traefik.yaml', route: byTraefikFile },
  { file: 'kubernetes-traefik.yaml', route: byIngressRoute },
  { file: 'kubernetes-ingress-nginx.yaml', route: byIngressNginx },
])('$file', ({ file, route }) => {
  const configuration = readExample(file);

  test('routes the four paths and /graphql to the gateway, everything else to Unleash', () => {
    expect(routedBy(route, configuration, ROUTED_PATHS, {})).toEqual(ROUTED_PATHS);
    expect(routedBy(route, configuration, ROUTED_PATHS, AUTHORIZATION)).toEqual(ROUTED_PATHS);
  });

  test('routes below a base path prepended to each path', () => {
    const expected = belowBasePath(ROUTED_PATHS, BASE_PATH);
    expect(routedBy(route, withBasePath(configuration, BASE_PATH), expected, {})).toEqual(expected);
  });
});

describe('traefik-authorization-only.yaml', () => {
  const configuration = readExample('traefik-authorization-only.yaml');

  test('routes only requests with an Authorization header', () => {
    expect(routedBy(byTraefikFile, configuration, ROUTED_PATHS, AUTHORIZATION)).toEqual(
      ROUTED_PATHS,
    );
    expect(routedBy(byTraefikFile, configuration, ROUTED_WITHOUT_AUTHORIZATION, {})).toEqual(
      ROUTED_WITHOUT_AUTHORIZATION,
    );
  });
});

test('the table contains each REST path of the gateway that Unleash also serves', () => {
  const served = REST_PATHS.filter((path) => !path.endsWith('openapi.json'));
  const patterns = served.map((path) => new RegExp(`^${path.replaceAll(/[:{]\w+\}?/g, '[^/]+')}$`));
  const routed = ROUTED_PATHS.filter(({ by }) => by === 'gateway').map(
    ({ target }) => target.split('?')[0] ?? '',
  );
  expect(patterns).toHaveLength(4);
  for (const pattern of patterns) expect(routed.some((path) => pattern.test(path))).toBe(true);
  for (const { target, by } of ROUTED_PATHS) {
    const isServed = patterns.some((pattern) => pattern.test(target.split('?')[0] ?? ''));
    if (by === 'unleash') expect([target, isServed]).toEqual([target, false]);
  }
});

/** Lines without indentation, since the guide shows parts of each file. */
const linesOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join('\n');

test('the guide shows parts of the files unchanged', () => {
  const blocks = [
    ...read('docs/guides/attach.md').matchAll(/^```(nginx|caddyfile|yaml)\n([\s\S]*?)^```$/gm),
  ];
  const files: Readonly<Record<string, readonly string[]>> = {
    nginx: ['nginx.conf', 'nginx-authorization-only.conf'],
    caddyfile: ['Caddyfile'],
    yaml: ['traefik.yaml'],
  };
  expect(new Set(blocks.map(([, language]) => language))).toEqual(new Set(Object.keys(files)));
  for (const [, language = '', text = ''] of blocks) {
    const isPart = (files[language] ?? []).some((file) =>
      linesOf(readExample(file)).includes(linesOf(text)),
    );
    expect([text, isPart]).toEqual([text, true]);
  }
});
