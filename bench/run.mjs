import { runTool } from '../scripts/run-tool.mjs';

const hasConsole = process.argv.some((argument) => ['--console', '--all'].includes(argument));
await runTool('bench', { hasBrowser: hasConsole, hasConsole });
