import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '../is-stale.mjs';

const RUNTIME = new URL('runtime/', import.meta.url);

/** Wraps each condition in a call that evaluates it once. Lines keep their numbers. */
const instrument = (file, text, guards) => {
  const inserts = guards.flatMap(({ id, start, end }) => [
    { at: start, text: `__guard('${id}', (` },
    { at: end, text: '))' },
  ]);
  const wrapped = inserts
    .sort((a, b) => b.at - a.at)
    .reduce((code, { at, text }) => code.slice(0, at) + text + code.slice(at), text);
  const runtime = posix.relative(posix.dirname(file), '.mutation/guard.mjs');
  return `import { guard as __guard } from '${runtime}'; ${wrapped}`;
};

const linkPackages = (copy) => {
  mkdirSync(join(copy, 'node_modules'));
  // Caches and locks stay separate: the copy has its own `.vite`, `.cache` and so on.
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name.startsWith('.') && name !== '.bin') continue;
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  }
};

/** Copies the repository with the guards instrumented. `.mutation` has the runtime and what it records. */
export const makeCopy = (copy, guards) => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of [...listed.split('\0'), 'src/data/generated']) {
    const source = join(root, file);
    if (file === '' || !existsSync(source)) continue;
    cpSync(source, join(copy, file), { recursive: true, preserveTimestamps: true });
  }
  linkPackages(copy);

  const folder = join(copy, '.mutation');
  mkdirSync(join(folder, 'pids'), { recursive: true });
  for (const name of readdirSync(RUNTIME)) {
    const text = readFileSync(new URL(name, RUNTIME), 'utf8');
    writeFileSync(
      join(folder, name),
      text.replace("'FOLDER'", () => JSON.stringify(folder)),
    );
  }
  for (const file of new Set(guards.map((guard) => guard.file))) {
    const path = join(copy, file);
    const own = guards.filter((guard) => guard.file === file);
    writeFileSync(path, instrument(file, readFileSync(path, 'utf8'), own));
  }
};
