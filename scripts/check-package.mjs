// Checks what `npm pack` would publish: the files that an installed package needs and no others, and package.json.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from './is-stale.mjs';
import { report } from './report.mjs';

const NEEDED = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'dist/THIRD-PARTY-LICENSES.txt',
  'dist/embedded-worker.js',
  'dist/index.d.ts',
  'dist/index.js',
  'dist/main.js',
  'dist/docs/index.html',
  'dist/console/documents.json',
  'dist/console/manifest.json',
  'compose.yaml',
  'deploy/prometheus/alerts.yaml',
  'examples/proxies/nginx.conf',
  'prisma/migrations/20260101000000_admin_layout/migration.sql',
  'schema.graphql',
  'web/icon.svg',
];
const ALLOWED =
  /^(dist|web|docs|prisma\/migrations|deploy|examples\/proxies)\/|^examples\/README\.md$|^(package\.json|compose\.yaml|schema\.graphql|LICENSE|[A-Z]+\.md)$/;
const UNWANTED = /\.(map|ts|tsbuildinfo|log|tgz)$|(^|\/)(\.|node_modules\/|tsconfig)/;
const LINKING = ['README.md', 'CHANGELOG.md', 'SECURITY.md'];
const TYPES = 'dist/index.d.ts';
const MAX_BYTES = 30 * 1024 * 1024;

/** The list of files that npm would pack. `prepack` builds them first. */
const listPackage = () => {
  const { status, stdout } = spawnSync('npm', ['pack', '--dry-run', '--json'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
  const [{ files, unpackedSize }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  return { paths: files.map(({ path }) => path), bytes: unpackedSize };
};

/** Scripts and styles of the console. */
const consoleFiles = () => {
  const manifest = join(root, 'dist/console/manifest.json');
  if (!existsSync(manifest)) return [];
  return Object.values(JSON.parse(readFileSync(manifest, 'utf8')))
    .flatMap(({ file, css = [] }) => [file, ...css])
    .map((name) => `dist/console/${name}`);
};

const checkFiles = ({ paths, bytes }) => [
  ...[...NEEDED, ...consoleFiles()]
    .filter((path) => !paths.includes(path))
    .map((path) => `${path} is missing`),
  ...paths
    .filter((path) => path !== TYPES && (!ALLOWED.test(path) || UNWANTED.test(path)))
    .map((path) => `${path} must not be in the package`),
  ...(bytes > MAX_BYTES ? [`The package has ${bytes} bytes, more than ${MAX_BYTES}`] : []),
];

/** Relative links in Markdown files to files that are not in the package. */
const checkLinks = ({ paths }) => {
  const isPacked = (path) =>
    paths.some((packed) => packed === path || packed.startsWith(`${path}/`));
  return LINKING.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!\w+:|#)([^)\s#]+)/g)]
      .map(([, target]) => target)
      .filter((target) => !isPacked(posix.join(posix.dirname(file), target)))
      .map((target) => `${file} links to ${target}, which is not in the package`),
  );
};

const checkVersion = ({ version }) =>
  readFileSync(join(root, 'CHANGELOG.md'), 'utf8').includes(`\n## [${version}]`)
    ? []
    : [`CHANGELOG.md has no section for version ${version}`];

/** Commands name the tarball. */
const checkTarballNames = ({ paths }, { version }) =>
  paths
    .filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md')
    .flatMap((path) =>
      [
        ...readFileSync(join(root, path), 'utf8').matchAll(
          /flaggraph(?:-client)?-(\d+\.\d+\.\d+)\.tgz/g,
        ),
      ]
        .filter(([, named]) => named !== version)
        .map(([name]) => `${path} names ${name}, but the version is ${version}`),
    );

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const packed = listPackage();
const { messages } = await publint({ pkgDir: root, pack: 'npm' });
const problems = [
  ...checkFiles(packed),
  ...checkLinks(packed),
  ...checkVersion(manifest),
  ...checkTarballNames(packed, manifest),
  ...messages.map((message) => formatMessage(message, manifest)),
];
if (problems.length > 0) {
  report(problems.join('\n'));
  process.exitCode = 1;
}
