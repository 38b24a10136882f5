import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildDocs } from '../scripts/docs.mjs';
import { root } from '../scripts/is-stale.mjs';
import { runTool } from '../scripts/run-tool.mjs';

// Attacks of the long form request the largest public page, which is part of the documentation.
const needsDocs = !['--quick', '--help'].some((option) => process.argv.includes(option));
if (needsDocs && !existsSync(join(root, 'dist/docs'))) buildDocs();

await runTool('faults', {
  hasPackages: false,
  programs: ['postgres', 'pgbouncer', 'nginx', 'haproxy'],
});
