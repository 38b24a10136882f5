import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { REST_PATHS } from '../../src/rest/router.js';
import {
  belowBasePath,
  INTERNAL_ON_OWN_HOST,
  INTERNAL_WITH_CONSOLE,
  ROUTED_ON_OWN_HOST,
  ROUTED_PATHS,
  ROUTED_WITH_CONSOLE,
  ROUTED_WITHOUT_AUTHORIZATION,
  type RoutedPath,
  receivedAs,
  withBasePath,
} from '../testkit/routed-paths.js';
import { matchesRule } from '../testkit/traefik-rule.js';

const AUTHORIZATION = { authorization: 'Bearer user:abc' };
const BASE_PATH = '/flags';

const read = (name: string): string =>
  readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const readExample = (name: string): string => read(`examples/proxies/${name}`);

type Routed = { by: string /** The path that the service receives. */; received: string };

/** Returns the service that receives a request for a path, according to a configuration file. */
type Route = (
  configuration: string,
  request: { host: string; path: string; headers: Record<string, string> },
) => Routed;

type TraefikFile = {
  http: {
    routers: Record<
      string,
      { rule: string; priority?: number; middlewares?: string[]; service: string }
    >;
    middlewares?: Record<string, { addPrefix: { prefix: string } }>;
    services: Record<string, { loadBalancer: { servers: { url: string }[] } }>;
  };
};

type IngressRoute = {
  kind: 'IngressRoute';
  spec: {
    routes: {
      match: string;
      priority?: number;
      middlewares?: { name: string }[];
      services: { name: string; port: number }[];
    }[];
  };
};

type Middleware = {
  kind: 'Middleware';
  metadata: { name: string };
  spec: { addPrefix: { prefix: string } };
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
const ANNOTATION = 'nginx.ingress.kubernetes.io/';

type Rule = { rule: string; priority?: number | undefined; by: string; prefix: string };

const firstMatch = (rules: readonly Rule[], request: Parameters<Route>[1]): Routed => {
  const { by = 'none', prefix = '' } =
    rules
      .toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
      .find(({ rule }) => matchesRule(rule, request)) ?? {};
  return { by, received: `${prefix}${request.path}` };
};

const byTraefikFile: Route = (configuration, request) => {
  const { routers, middlewares = {}, services } = (parse(configuration) as TraefikFile).http;
  const rules = Object.values(routers).map(
    ({ rule, priority, middlewares: names = [], service }) => {
      const port = new URL(services[service]?.loadBalancer.servers[0]?.url ?? '').port;
      const prefix = names.map((name) => middlewares[name]?.addPrefix.prefix).join('');
      return { rule, priority, by: PORTS[port] ?? port, prefix };
    },
  );
  return firstMatch(rules, request);
};

const readAll = (configuration: string) =>
  parseAllDocuments(configuration).map((document) => document.toJS());

const byIngressRoute: Route = (configuration, request) => {
  const objects = readAll(configuration) as (IngressRoute | Middleware)[];
  const prefixOf = (name: string) =>
    objects.flatMap((one) =>
      one.kind === 'Middleware' && one.metadata.name === name ? one.spec.addPrefix.prefix : [],
    );
  const rules = objects
    .flatMap((one) => (one.kind === 'IngressRoute' ? one.spec.routes : []))
    .map(({ match, priority, middlewares = [], services: [service] }) => ({
      rule: match,
      priority,
      by: PORTS[service?.port ?? 0] ?? 'none',
      prefix: middlewares.flatMap(({ name }) => prefixOf(name)).join(''),
    }));
  return firstMatch(rules, request);
};

/** Like ingress-nginx with `use-regex`: anchored at the start, case-insensitive, longest path first. */
const byIngressNginx: Route = (configuration, { host, path }) => {
  const found = (readAll(configuration) as Ingress[])
    .flatMap(({ metadata: { annotations }, spec }) => {
      expect(annotations[`${ANNOTATION}use-regex`]).toBe('true');
      const paths = spec.rules.find((rule) => rule.host === host)?.http.paths ?? [];
      const target = annotations[`${ANNOTATION}rewrite-target`];
      return paths.map((entry) => ({
        ...entry,
        pattern: new RegExp(`^${entry.path}`, 'i'),
        target,
      }));
    })
    .toSorted((a, b) => b.path.length - a.path.length)
    .find(({ pattern }) => pattern.test(path));
  const name = found?.backend.service.name ?? 'none';
  return {
    by: name === 'flaggraph' ? 'gateway' : name,
    received: found?.target ? path.replace(found.pattern, found.target) : path,
  };
};

const route = (
  by: Route,
  configuration: string,
  target: string,
  headers: Record<string, string> = {},
): Routed => {
  const [host = ''] = /\b(?:flags|graph)\.example\.com\b/.exec(configuration) ?? [];
  const path = decodeURIComponent(new URL(target, `http://${host}`).pathname);
  return by(configuration, { host, path, headers });
};

const routedBy = (
  by: Route,
  configuration: string,
  paths: readonly RoutedPath[],
  headers: Record<string, string>,
): RoutedPath[] =>
  paths.map(({ method, target }) => ({
    method,
    target,
    by: route(by, configuration, target, headers).by as RoutedPath['by'],
  }));

describe.each([
  { file: 'traefik.yaml', by: byTraefikFile },
  { file: 'kubernetes-traefik.yaml', by: byIngressRoute },
  { file: 'kubernetes-ingress-nginx.yaml', by: byIngressNginx },
])('$file', ({ file, by }) => {
  const configuration = readExample(file);

  test('routes the four paths and /graphql to the gateway, everything else to Unleash', () => {
    expect(routedBy(by, configuration, ROUTED_PATHS, {})).toEqual(ROUTED_PATHS);
    expect(routedBy(by, configuration, ROUTED_PATHS, AUTHORIZATION)).toEqual(ROUTED_PATHS);
  });

  test('routes below a base path prepended to each path', () => {
    const expected = belowBasePath(ROUTED_PATHS, BASE_PATH);
    expect(routedBy(by, withBasePath(configuration, BASE_PATH), expected, {})).toEqual(expected);
  });
});

const pathOf = (target: string) => decodeURIComponent(target.replace(/\?.*/, ''));

describe.each([
  { file: 'traefik', by: byTraefikFile },
  { file: 'kubernetes-traefik', by: byIngressRoute },
  { file: 'kubernetes-ingress-nginx', by: byIngressNginx },
])('$file', ({ file, by }) => {
  test('routes the pages below the base path of the gateway, and adds it to the four paths', () => {
    const configuration = readExample(`${file}-console.yaml`);
    expect(routedBy(by, configuration, ROUTED_WITH_CONSOLE, {})).toEqual(ROUTED_WITH_CONSOLE);
    for (const { target } of ROUTED_WITH_CONSOLE.filter((one) => one.by === 'gateway')) {
      const { received } = route(by, configuration, target);
      expect(received).toBe(pathOf(receivedAs(target)));
    }
    for (const path of INTERNAL_WITH_CONSOLE) {
      expect([path, route(by, configuration, path).by]).toEqual([path, 'unleash']);
    }
  });

  test('routes a host name of its own to the gateway', () => {
    const configuration = readExample(`${file}-own-host.yaml`);
    expect(routedBy(by, configuration, ROUTED_ON_OWN_HOST, {})).toEqual(ROUTED_ON_OWN_HOST);
    for (const path of INTERNAL_ON_OWN_HOST) {
      expect([path, route(by, configuration, path).by]).toEqual([path, 'none']);
    }
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
    nginx: ['nginx.conf', 'nginx-authorization-only.conf', 'nginx-console.conf'],
    caddyfile: ['Caddyfile', 'Caddyfile-console'],
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
