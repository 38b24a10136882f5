// Runs the PostgreSQL server of a test run and outlives that run just long enough to stop it and remove its folder. It
// notices the end of the run by its own standard input closing, so it does so after a crash or a kill as well.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const { binary, args, uid, gid, folder } = JSON.parse(process.argv[2] ?? '{}');

const server = spawn(binary, args, {
  cwd: folder,
  uid,
  gid,
  stdio: ['ignore', 'inherit', 'inherit'],
});
// SIGINT asks PostgreSQL for a fast shutdown: open sessions are ended.
const stop = () => server.kill('SIGINT');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
process.stdin.on('end', stop).on('error', stop).resume();

server.on('exit', () => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
});
