// Installs what the end-to-end tests need besides the packages of the clone: their own packages, and programs. Arguments
// name further programs, such as those of `npm run faults`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installClient } from './client.mjs';
import { buildConsole } from './console.mjs';
import { buildDocs } from './docs.mjs';
import { installFolder } from './install-folder.mjs';
import { root } from './is-stale.mjs';

const FOLDERS = ['examples', 'test/e2e/clients', 'test/e2e/federation'];
const PROGRAMS = join(root, 'scripts/setup-e2e-programs.mjs');

/** Installs programs, mostly waiting for the network, while packages are installed and built. Prints its output at the end. */
const startPrograms = () => {
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-setup-'));
  const log = join(folder, 'programs.log');
  const output = openSync(log, 'w');
  const ended = once(
    spawn(process.execPath, [PROGRAMS, ...process.argv.slice(2)], {
      stdio: ['ignore', output, output],
    }),
    'exit',
  );
  return async () => {
    const [status] = await ended;
    process.stderr.write(readFileSync(log));
    rmSync(folder, { recursive: true, force: true });
    return status;
  };
};

const endPrograms = startPrograms();
for (const folder of FOLDERS) installFolder(folder);
installClient('test/e2e/clients');
await buildConsole();
buildDocs();
process.exitCode = (await endPrograms()) ?? 1;
