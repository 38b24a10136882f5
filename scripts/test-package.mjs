// Installs the packed tarball in an empty folder, as a user would, and runs it: size, command line, server, types.
// --built packs what `npm run check` has built, instead of building it again.
import { spawn, spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './is-stale.mjs';
import { report } from './report.mjs';

const MAX_MEGABYTES = 100;
const START_LIMIT_MS = 60_000;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const assertEqual = (actual, expected, what) => {
  if (actual !== expected) throw new Error(`${what} is ${actual}, not ${expected}`);
};

const run = (command, args, cwd) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return { stdout, stderr };
};

const bytesOf = (path) => {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.blocks * 512;
  return readdirSync(path).reduce(
    (sum, name) => sum + bytesOf(join(path, name)),
    stat.blocks * 512,
  );
};

const waitForAddress = async (server) => {
  const timer = setTimeout(() => server.kill(), START_LIMIT_MS);
  let output = '';
  try {
    for await (const text of server.stdout.setEncoding('utf8')) {
      output += text;
      const [address] = ADDRESS.exec(output) ?? [];
      if (address) return address;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error(`The installed server did not start:\n${output}`);
};

const packTarball = (folder) => {
  const options = process.argv.includes('--built') ? ['--ignore-scripts'] : [];
  run('npm', ['pack', ...options, '--pack-destination', folder], root);
  return join(folder, `flaggraph-${version}.tgz`);
};

const install = (tarball, folder) => {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const { stderr } = run('npm', ['install', '--no-audit', '--no-fund', tarball], folder);
  if (/EBADENGINE|deprecated/.test(stderr)) throw new Error(stderr);
  const megabytes = Math.ceil(bytesOf(join(folder, 'node_modules')) / 2 ** 20);
  report(`Installed: ${megabytes} MB`);
  if (megabytes >= MAX_MEGABYTES) throw new Error(`${megabytes} MB is not below ${MAX_MEGABYTES}`);
};

/** The page of the console, each of its files, and one of its documents. */
const checkConsole = async (address) => {
  const page = await fetch(`${address}/projects`, { headers: { accept: 'text/html' } });
  assertEqual(page.status, 200, 'The status of the console');
  const files = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)];
  if (files.length < 3) throw new Error('The page of the console lacks files');
  for (const [, path] of files) {
    assertEqual((await fetch(address + path)).status, 200, `The status of ${path}`);
  }
  const documents = JSON.parse(readFileSync(join(root, 'dist/console/documents.json'), 'utf8'));
  const [documentId] = Object.entries(documents).find(([, text]) => /^query WhoAmI/.test(text));
  const known = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: '*:*.demo-admin-token' },
    body: JSON.stringify({ documentId }),
  });
  assertEqual(known.status, 200, 'The status of a document of the console');
};

const serve = async (folder) => {
  const program = join(folder, 'node_modules/flaggraph/dist/main.js');
  const server = spawn(process.execPath, [program, 'serve', '--port', '0'], {
    cwd: folder,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => server.once('exit', resolve));
  try {
    const address = await waitForAddress(server);
    const graphql = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: '*:*.demo-admin-token' },
      body: JSON.stringify({ query: '{ project(id: "web-shop") { id } }' }),
    });
    assertEqual(await graphql.text(), '{"data":{"project":{"id":"web-shop"}}}', 'The answer');
    for (const path of ['/start', '/graphql', '/docs/', '/readyz']) {
      const page = await fetch(address + path, { headers: { accept: 'text/html' } });
      assertEqual(page.status, 200, `The status of ${path}`);
    }
    await checkConsole(address);
  } finally {
    server.kill();
  }
  assertEqual(await exited, 0, 'The exit code');
};

const importLibrary = (folder) => {
  const script = `import { startGateway } from 'flaggraph';
    const { url, stop } = await startGateway({ PORT: '0', DATA_DIR: 'memory://', LOG_LEVEL: 'silent' });
    console.log((await fetch(url + '/readyz')).status);
    await stop();`;
  const { stdout } = run(process.execPath, ['--input-type=module', '--eval', script], folder);
  assertEqual(stdout, '200\n', 'The status of /readyz');
};

const folder = mkdtempSync(join(tmpdir(), 'flaggraph-package-'));
try {
  install(packTarball(folder), folder);
  const { stdout } = run('npx', ['flaggraph', '--version'], folder);
  assertEqual(stdout.trim(), version, 'The version');
  await serve(folder);
  importLibrary(folder);
  report(`The package ${version} works.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
