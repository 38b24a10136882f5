import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { root } from '../is-stale.mjs';

const VITEST = join(root, 'node_modules/vitest/vitest.mjs');
const KILL_AFTER_MS = 5_000;

export const readLines = (path) => {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
};

const send = (signal, { pid }) => {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
};

/** Runs Vitest in the copy, with one guard disabled if `mutant` is set, and returns what its reporter recorded. */
export const runVitest = async (copy, { projects, files = [], mutant, env, capMs, log }) => {
  const folder = join(copy, '.mutation');
  const events = join(folder, 'events.jsonl');
  for (const name of ['events.jsonl', 'mutant', 'pids']) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
  mkdirSync(join(folder, 'pids'));
  if (mutant) writeFileSync(join(folder, 'mutant'), mutant);

  const output = openSync(log, 'w');
  const flags = ['--root', copy, '--config', join(folder, 'vitest.config.mjs')];
  const reporters = ['--reporter=default', `--reporter=${join(folder, 'reporter.mjs')}`];
  const selected = projects.flatMap((name) => ['--project', name]);
  const bail = mutant ? ['--bail', '1'] : [];
  const vitest = spawn(
    process.execPath,
    [VITEST, 'run', ...flags, ...reporters, ...selected, ...bail, ...files],
    {
      cwd: copy,
      env: { ...process.env, ...env, ...(mutant && { MUTANT: mutant }) },
      stdio: ['ignore', output, output],
      // Its own process group, so that its workers and their children end with it.
      detached: true,
    },
  );
  closeSync(output);
  const interrupt = () => {
    send('SIGKILL', vitest);
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt);

  let isTimedOut = false;
  const stop = () => {
    isTimedOut = true;
    send('SIGTERM', vitest);
  };
  const timers = [];
  if (capMs) {
    timers.push(setTimeout(stop, capMs));
    timers.push(setTimeout(send, capMs + KILL_AFTER_MS, 'SIGKILL', vitest));
  }
  const [code] = await once(vitest, 'exit');
  send('SIGKILL', vitest);
  for (const timer of timers) clearTimeout(timer);
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  return { events: readLines(events), code, isTimedOut };
};
