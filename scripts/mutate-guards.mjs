// Measures how many guards the tests cover: disables one guard after another and runs the test files that trigger it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './is-stale.mjs';
import { findGuards, pickGuards } from './mutation/find-guards.mjs';
import { makeCopy } from './mutation/make-copy.mjs';
import { readLines, runVitest } from './mutation/run-vitest.mjs';
import { report } from './report.mjs';

const HELP = `Usage: node scripts/mutate-guards.mjs [options] [test file …]
  --guards <count>      number of guards to mutate (default 100)
  --seed <number>       seed of the choice (default 1)
  --only <file>         mutate the guards whose IDs (path:line) occur in this file instead
  --project <name>      test project, repeatable (default unit, contract, engines)
  --also-embedded       project engines: also runs all contract tests, on the embedded database
  --cap <seconds>       time limit per guard (default 90)
  --folder <path>       parent folder of the copy and the results (default: in the temporary folder)
  --list                print the guards and exit

Run the same command again to continue after an interruption. A larger --cap repeats undecided guards.`;

const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    guards: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    project: { type: 'string', multiple: true, default: ['unit', 'contract', 'engines'] },
    'also-embedded': { type: 'boolean', default: false },
    cap: { type: 'string', default: '90' },
    folder: { type: 'string', default: join(tmpdir(), 'flaggraph-mutation') },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const projects = options.project;
const cap = Number(options.cap);
const env = options['also-embedded'] ? { ALSO_EMBEDDED: '1' } : {};
const print = (line) => process.stdout.write(`${line}\n`);

const chooseGuards = () => {
  const folders = findGuards();
  if (!options.only) return pickGuards(folders, Number(options.guards), Number(options.seed));
  const ids = new Set(readFileSync(options.only, 'utf8').match(/src\/[\w./-]+\.ts:\d+/g));
  return folders.flat().filter(({ id }) => ids.has(id));
};

/** One folder per state of the repository and choice of guards and tests, so that results never mix. */
const runFolder = (guards) => {
  const git = (...args) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 28 });
  const hash = createHash('sha256').update(git('rev-parse', 'HEAD')).update(git('diff', 'HEAD'));
  const ids = guards.map(({ id }) => id);
  hash.update(JSON.stringify([ids, projects, filters, env]));
  const folder = join(options.folder, hash.digest('hex').slice(0, 12));
  mkdirSync(folder, { recursive: true });
  return realpathSync(folder);
};

/** Builds the copy and runs all tests once, which records the test files that trigger each guard. */
const trace = async (folder, guards) => {
  const copy = join(folder, 'copy');
  report(`Tracing ${guards.length} guards in ${copy} …`);
  rmSync(copy, { recursive: true, force: true });
  makeCopy(copy, guards);
  const build = ['scripts/build.mjs', '--if-stale'];
  execFileSync(process.execPath, build, { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] });

  const log = join(folder, 'trace.log');
  const { events } = await runVitest(copy, { projects, files: filters, env, log });
  const failed = new Set(events.flatMap((event) => event.failed ?? []));
  for (const file of failed) report(`Ignored, because it fails without a mutant: ${file}`);
  const passed = events.filter(({ ended }) => ended && !failed.has(ended));
  if (passed.length === 0) throw new Error(`No test file passed. See ${log}.`);
  return Object.fromEntries(passed.map(({ ended, ms }) => [ended, ms]));
};

/**
 * The test files of a project that trigger a guard. If only global setup triggers it, any file is enough to run that.
 */
const testFiles = (project, tests, durations) => {
  const files = Object.keys(durations).filter((key) => key.startsWith(`${project} `));
  const found = files.filter((key) => tests.has(key));
  const isInSetup = found.length === 0 && tests.has(null) && project !== 'unit';
  const fastest = files.sort((a, b) => durations[a] - durations[b]).slice(0, 1);
  return (isInSetup ? fastest : found).map((key) => key.slice(project.length + 1));
};

const mutate = async (folder, id, tests, durations) => {
  if (tests.size === 0) return { verdict: 'not taken' };
  const end = Date.now() + cap * 1000;
  for (const project of projects) {
    const files = testFiles(project, tests, durations);
    if (files.length === 0) continue;
    const capMs = end - Date.now();
    if (capMs <= 0) return { verdict: 'undecided' };
    const run = { projects: [project], files, mutant: id, env, capMs };
    const { events, code, isTimedOut } = await runVitest(join(folder, 'copy'), {
      ...run,
      log: join(folder, 'mutant.log'),
    });
    const failure = events.find((event) => event.failed);
    if (failure) {
      return { verdict: 'caught', by: failure.failed, test: failure.test, why: failure.message };
    }
    if (!isTimedOut && code === 0) continue;
    // Without a failed test, only a guard of global setup can have caused the failed run.
    if (!isTimedOut && tests.has(null)) return { verdict: 'caught', by: '(global setup)' };
    return { verdict: 'undecided', why: isTimedOut ? 'time limit' : `exit code ${code}` };
  }
  return { verdict: 'survived' };
};

const main = async () => {
  const guards = chooseGuards();
  if (options.list) {
    for (const { id, condition } of guards) print(`${id}  ${condition.replaceAll(/\s+/g, ' ')}`);
    return;
  }
  const folder = runFolder(guards);
  const state = join(folder, 'copy/.mutation');
  const durationsFile = join(state, 'durations.json');
  if (!existsSync(durationsFile)) {
    const durations = await trace(folder, guards);
    writeFileSync(durationsFile, JSON.stringify(durations));
  }
  const durations = JSON.parse(readFileSync(durationsFile, 'utf8'));
  const takenGuards = readLines(join(state, 'taken.jsonl'));

  const resultsFile = join(folder, 'results.jsonl');
  report(`Results: ${resultsFile}`);
  const results = new Map(readLines(resultsFile).map((result) => [result.id, result]));
  for (const [index, { id }] of guards.entries()) {
    const known = results.get(id);
    if (known && (known.verdict !== 'undecided' || known.cap >= cap)) continue;
    const tests = new Set(takenGuards.filter((entry) => entry.id === id).map(({ test }) => test));
    const startedAt = Date.now();
    const found = await mutate(folder, id, tests, durations);
    const result = { id, ...found, seconds: Math.round((Date.now() - startedAt) / 1000), cap };
    appendFileSync(resultsFile, `${JSON.stringify(result)}\n`);
    results.set(id, result);
    report(`${index + 1}/${guards.length} ${id} ${result.verdict} (${result.seconds} s)`);
  }

  const width = Math.max(0, ...guards.map(({ id }) => id.length));
  for (const { id } of guards) {
    const { verdict, by = '' } = results.get(id);
    print(`${id.padEnd(width)}  ${verdict.padEnd(9)}  ${by}`.trimEnd());
  }
  const caught = guards.filter(({ id }) => results.get(id).verdict === 'caught');
  print(`${caught.length} of ${guards.length} guards caught`);
};

if (options.help) print(HELP);
else await main();
