// Runs the PostgreSQL server of a test run and outlives that run just long enough to stop it and remove its folder. It
// detects the end of the run when its standard input closes, so it also works after a crash or a kill.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const { binary, args, uid, gid, folder } = JSON.parse(process.argv[2] ?? '{}');

const server = spawn(binary, args, {
  cwd: folder,
  uid,
  gid,
  stdio: ['ignore', 'inherit', 'inherit'],
});
// SIGINT requests a fast shutdown: open sessions are terminated.
const stop = () => server.kill('SIGINT');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
process.stdin.on('end', stop).on('error', stop).resume();

server.on('exit', () => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
});
