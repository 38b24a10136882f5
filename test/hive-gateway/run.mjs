import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The whole of Hive Gateway is half a gigabyte, so only who runs this installs it: `npm test` has its engine alone.
const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = `${folder}node_modules/@graphql-hive/gateway/dist/bin.js`;

const run = (command, args, options) => {
  const shell = process.platform === 'win32';
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell, ...options });
  if (status !== 0) process.exit(status ?? 1);
};

if (!existsSync(bin)) {
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', ['install', '--ignore-scripts', ...quietly], { cwd: folder });
}
run('npx', ['vitest', 'run', 'test/api/federation.test.ts', ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, HIVE_GATEWAY_BIN: bin },
});
