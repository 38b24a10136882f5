import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, SETTING_NAMES } from '../../src/config/config.js';
import { stopLimit } from '../../src/server.js';
import { CONSOLE_BASE_PATH } from '../testkit/routed-paths.js';

const fileOf = (name: string): URL => new URL(`../../${name}`, import.meta.url);
const read = (name: string): string => readFileSync(fileOf(name), 'utf8');
const { version, scripts, engines } = JSON.parse(read('package.json')) as {
  version: string;
  scripts: Record<string, string>;
  engines: { node: string };
};

type Compose = {
  services: Record<
    string,
    { environment?: Record<string, string>; stop_grace_period?: string; image: string }
  >;
};
type Variable = { name: string; value?: string; valueFrom?: object };
type Container = {
  image: string;
  env: Variable[];
  ports: { name: string; containerPort: number }[];
  securityContext: Record<string, unknown>;
} & Record<
  'startupProbe' | 'livenessProbe' | 'readinessProbe',
  { httpGet: { path: string; port: string } }
>;
type Deployment = {
  spec: {
    template: {
      metadata: { labels: object };
      spec: {
        terminationGracePeriodSeconds: number;
        securityContext: Record<string, unknown>;
        containers: [Container];
      };
    };
  };
};
type Kustomization = { resources: string[]; images: { name: string; newTag: string }[] };
type Workflow = { jobs: Record<string, { steps: { run?: string }[]; strategy?: object }> };

const manifest = <Shape>(name: string) => parse(read(`deploy/kubernetes/${name}`)) as Shape;
/** Read by Node itself. */
const NODE_SETTINGS = ['NODE_OPTIONS'];
const SECRETS = { DATABASE_URL: 'postgresql://a:b@c/d', UNLEASH_SECRET: 'secret' };

const expectSettings = (environment: Record<string, string>) => {
  const names = Object.keys(environment);
  expect(names.filter((name) => ![...SETTING_NAMES, ...NODE_SETTINGS].includes(name))).toEqual([]);
  return loadConfig({ ...environment, ...SECRETS });
};

describe('Dockerfile', () => {
  const text = read('Dockerfile');
  const environment = Object.fromEntries(
    [...text.matchAll(/^ENV (.+)$/gm)].flatMap(([, pairs = '']) =>
      pairs.split(' ').map((pair) => pair.split('=') as [string, string]),
    ),
  );

  test('sets only known settings, and exposes the port it sets', () => {
    const { port, production } = expectSettings(environment);
    expect({ port, production }).toEqual({ port: 4000, production: true });
    expect(text).toContain(`\nEXPOSE ${port}\n`);
  });

  test('runs as a numeric user other than root', () => {
    expect(text.match(/^USER .+$/gm)).toEqual(['USER 1000:1000']);
  });

  test('has what the package is built from, and what its documentation links to', () => {
    const lines = read('.dockerignore').split('\n');
    const matches = (file: string) => (line: string) =>
      file === line || file.startsWith(`${line}/`);
    const isIncluded = (file: string) =>
      lines.some((line) => line.startsWith('!') && matches(file)(line.slice(1))) &&
      !lines.some(matches(file));
    const pages = readdirSync(fileOf('docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`);
    const linked = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!\w+:|#|\/)([^)\s#]+)/g)].map(([, target = '']) =>
        posix.join(posix.dirname(page), target),
      ),
    );
    const built = ['client/src', 'console/src', 'scripts', 'site/src', 'src', 'web'];
    expect(linked.length).toBeGreaterThan(100);
    expect([...built, ...pages, ...linked].filter((file) => !isIncluded(file))).toEqual([]);
  });

  test('copies only files that .dockerignore includes', () => {
    const included = new Set(
      [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, name]) => name),
    );
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' ').filter((name) => name !== '.'),
    );
    expect(copied.filter((name) => !included.has(name))).toEqual([]);
    expect([...included].filter((name) => !existsSync(fileOf(name ?? '')))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  const { services } = parse(read('compose.yaml')) as Compose;

  test('sets only known settings for the gateway', () => {
    const config = expectSettings(services['flaggraph']?.environment ?? {});
    expect(config.trustedProxies).toBe(1);
    expect(config.basePath).toBe(CONSOLE_BASE_PATH);
  });

  test('gives Unleash and the gateway the same database and secret', () => {
    const { unleash, flaggraph } = services;
    for (const name of ['DATABASE_URL', 'UNLEASH_SECRET']) {
      const [one, other] = [unleash, flaggraph].map((service) => service?.environment?.[name]);
      expect(other?.split(':?')[0]?.replace('}', '')).toBe(one?.split(':?')[0]?.replace('}', ''));
    }
  });

  test('waits until the gateway has stopped', () => {
    const seconds = Number.parseInt(services['flaggraph']?.stop_grace_period ?? '', 10);
    expect(seconds * 1000).toBeGreaterThan(stopLimit(loadConfig({})));
  });

  test('names the image after the version of the package', () => {
    expect(services['flaggraph']?.image).toBe(`flaggraph:${version}`);
  });

  test('routes like the example that the proxy tests run', () => {
    const rules = (text: string) =>
      text
        .replace(/^#.*\n/gm, '')
        .replace(/^ *server_name .*\n/m, '')
        .replace(/server [\w.]+:/g, 'server host:');
    expect(rules(read('deploy/compose/nginx.conf'))).toBe(
      rules(read('examples/proxies/nginx-console.conf')),
    );
  });
});

describe('deploy/kubernetes', () => {
  const { spec } = manifest<Deployment>('deployment.yaml').spec.template;
  const [container] = spec.containers;
  const environment = Object.fromEntries(
    container.env.map(({ name, value = 'from a secret' }) => [name, value]),
  );

  test('sets only known settings', () => {
    expectSettings(environment);
  });

  test('waits until the gateway has stopped', () => {
    const config = expectSettings(environment);
    expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(stopLimit(config));
  });

  test('probes the addresses of the gateway on its port', () => {
    const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
      ({ httpGet }) => httpGet,
    );
    expect(paths).toEqual([
      { path: '/livez', port: 'http' },
      { path: '/livez', port: 'http' },
      { path: '/readyz', port: 'http' },
    ]);
    expect(container.ports).toEqual([{ name: 'http', containerPort: 4000 }]);
    expect(manifest<{ spec: { ports: object[] } }>('service.yaml').spec.ports).toEqual([
      { name: 'http', port: 4000, targetPort: 'http' },
    ]);
  });

  test('runs without privileges on a read-only file system', () => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('lists every manifest, and the image of this version', () => {
    const text = read('deploy/kubernetes/kustomization.yaml');
    const { images } = parse(text) as Kustomization;
    expect(images).toMatchObject([{ name: container.image, newTag: version }]);
    const files = readdirSync(fileOf('deploy/kubernetes/'));
    for (const file of files.filter((name) => name !== 'kustomization.yaml')) {
      expect(text).toContain(`- ${file}\n`);
      expect(manifest<{ metadata: { name: string } }>(file).metadata.name).toBe('flaggraph');
    }
  });
});

describe.each(['ci.yml', 'release.yml'])('%s', (file) => {
  const { jobs } = parse(read(`.github/workflows/${file}`)) as Workflow;
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run));

  test('runs only npm scripts that exist', () => {
    const names = commands.flatMap((command) => /^npm run (\S+)/.exec(command)?.[1] ?? []);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

test('ci.yml tests each supported major version of Node', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml')) as Workflow;
  const majors = [...engines.node.matchAll(/(\d+)\.\d+\.\d+/g)].map(([, major]) => Number(major));
  expect(jobs['test']?.strategy).toMatchObject({ matrix: { node: majors } });
});
