import { runTool } from '../scripts/run-tool.mjs';

await runTool('bench');
