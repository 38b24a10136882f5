// Runs Biome with the given arguments. It is installed on first use, because it takes 60 MB.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installFolder } from '../install-folder.mjs';
import { root } from '../is-stale.mjs';

const FOLDER = 'scripts/biome';

installFolder(FOLDER);
const { status } = spawnSync(
  process.execPath,
  [join(root, FOLDER, 'node_modules/@biomejs/biome/bin/biome'), ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
