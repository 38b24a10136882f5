import { runTool } from '../scripts/run-tool.mjs';

await runTool('parity', { hasBrowser: true, hasConsole: true });
