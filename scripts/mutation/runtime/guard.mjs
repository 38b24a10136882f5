// Not an import: tests may mock `node:fs`.
const { appendFileSync, readFileSync } = process.getBuiltinModule('node:fs');

// Replaced in the copy; its bundle in `dist/` needs the path too.
const FOLDER = 'FOLDER';

const read = (name) => {
  try {
    return readFileSync(`${FOLDER}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
};

// The file is for child processes that don't inherit the environment.
const mutant = process.env.MUTANT ?? read('mutant');
const recorded = new Set();

/** The test file of this process, or of its parent. Global setup has none. */
const testFile = () => read(`pids/${process.pid}`) ?? read(`pids/${process.ppid}`) ?? null;

/** Never true for the mutant. Without a mutant, records the test files in which the condition was true. */
export const guard = (id, condition) => {
  if (id === mutant) return false;
  if (condition && mutant === undefined && !recorded.has(id)) {
    recorded.add(id);
    appendFileSync(`${FOLDER}/taken.jsonl`, `${JSON.stringify({ id, test: testFile() })}\n`);
  }
  return condition;
};
