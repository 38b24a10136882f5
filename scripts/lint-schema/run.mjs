import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installFolder } from '../install-folder.mjs';
import { root } from '../is-stale.mjs';

const FOLDER = 'scripts/lint-schema';

installFolder(FOLDER);
const { status } = spawnSync(
  process.execPath,
  [
    join(root, FOLDER, 'node_modules/eslint/bin/eslint.js'),
    '--config',
    join(root, FOLDER, 'eslint.config.mjs'),
    'schema.graphql',
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
