#!/usr/bin/env node
// The command line from a clone: builds what is missing or stale, then runs it.
import { buildIfStale } from './build.mjs';

// npm ends the shell it runs scripts in, and the shell tells nobody; whoever ends `npm start` means the server.
if (process.env.npm_lifecycle_event) {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
}

buildIfStale();
await import('../dist/main.js');
