// The command line from a clone: builds what is missing or stale, then runs it.
import { buildIfStale } from './build.mjs';
import { buildConsole } from './console.mjs';

// When `npm start` is stopped, npm ends its shell, which does not forward the signal. So exit when the shell is gone.
if (process.env.npm_lifecycle_event) {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
}

await buildIfStale();
if (process.argv[2] === 'serve' && process.env.CONSOLE !== 'off') await buildConsole();
await import('../dist/main.js');
