// Loaded into a process by NODE_OPTIONS: prints its peak memory in kilobytes when it exits.
import { readFileSync } from 'node:fs';

/** On Linux, `maxRSS` includes the memory of the process that started this one. */
const readPeak = () => {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
};

process.on('exit', () => {
  process.stderr.write(`peak ${readPeak()}\n`);
});
