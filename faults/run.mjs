import { runTool } from '../scripts/run-tool.mjs';

await runTool('faults', {
  hasPackages: false,
  programs: ['postgres', 'pgbouncer', 'nginx', 'haproxy'],
});
