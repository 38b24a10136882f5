import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './is-stale.mjs';

// Some registries omit `integrity` from their metadata, and npm then omits it from the lock file: `npm ci` would verify
// nothing. This fills it in from the tarballs and removes the registry's URL.
const FOLDERS = [
  '.',
  'bench',
  'client',
  'examples',
  'parity',
  'scripts/biome',
  'scripts/lint-schema',
  'site',
  'test/e2e/browser',
  'test/e2e/clients',
  'test/e2e/federation',
];
const BATCH = 40;

const isFromRegistry = ([path, entry]) =>
  path.includes('node_modules/') && !entry.link && !entry.inBundle;
const isAddressed = ({ resolved }) => /^https?:/.test(resolved ?? '');
const isUnverified = ({ integrity }) => !/^sha512-/.test(integrity ?? '');
const specOf = ([path, { name, version }]) =>
  `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`;

const readLock = (folder) => {
  const file = join(root, folder, 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  return { file, lock, entries: Object.entries(lock.packages).filter(isFromRegistry) };
};

const check = () => {
  const problems = FOLDERS.flatMap((folder) =>
    readLock(folder).entries.flatMap(([path, entry]) => [
      ...(isUnverified(entry) ? [`${folder}: ${path} has no sha512 integrity`] : []),
      ...(isAddressed(entry) ? [`${folder}: ${path} names a registry`] : []),
    ]),
  );
  if (problems.length === 0) return;
  console.error(`${problems.join('\n')}\nRun: node scripts/lock-integrity.mjs`);
  process.exit(1);
};

/** Downloads packages with npm itself and returns the hash of each tarball. */
const hashTarballs = (specs) => {
  const { status, stdout } = spawnSync(
    'npm',
    ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error', ...specs],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) process.exit(status ?? 1);
  return JSON.parse(stdout).map(({ id, integrity }) => [id, integrity]);
};

const fill = (folder) => {
  const { file, lock, entries } = readLock(folder);
  const missing = entries.filter(([, entry]) => isUnverified(entry));
  const specs = [...new Set(missing.map(specOf))];
  const hashes = new Map();
  for (let start = 0; start < specs.length; start += BATCH) {
    console.log(`${folder}: ${start} of ${specs.length} packages`);
    const batch = specs.slice(start, start + BATCH);
    for (const [id, integrity] of hashTarballs(batch)) hashes.set(id, integrity);
  }
  for (const [path, entry] of entries) {
    const { version, resolved, integrity, ...rest } = entry;
    lock.packages[path] = {
      ...(entry.name !== undefined && { name: entry.name }),
      version,
      ...(resolved !== undefined && !isAddressed(entry) && { resolved }),
      integrity: isUnverified(entry) ? hashes.get(specOf([path, entry])) : integrity,
      ...rest,
    };
  }
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
};

if (process.argv.includes('--check')) check();
else for (const folder of FOLDERS) fill(folder);
