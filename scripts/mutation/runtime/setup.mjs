import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

// The runtime finds the test file by process ID, also from child processes and threads.
const { config, filepath } = globalThis.__vitest_worker__;
const file = relative(config.root, filepath);
writeFileSync(new URL(`pids/${process.pid}`, import.meta.url), `${config.name} ${file}`);
