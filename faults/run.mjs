import { runTool } from '../scripts/run-tool.mjs';

await runTool('faults', {
  hasPackages: false,
  // Attacks of the long form request the largest public page, which is part of the documentation.
  hasDocs: !process.argv.includes('--quick'),
  programs: ['postgres', 'pgbouncer', 'nginx', 'haproxy'],
});
