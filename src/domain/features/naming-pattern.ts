import { createContext, Script } from 'node:vm';
import { PatternError } from '../errors.js';
import { isObject } from '../json.js';

export type FeatureNaming = {
  pattern: string | null;
  example: string | null;
  description: string | null;
};

const TIME_LIMIT_MS = 25;
// Compiling cannot be interrupted, and its time grows with the square of the length.
const MAX_PATTERN_LENGTH = 2000;
const REMEMBERED_PATTERNS = 100;
const REMEMBERED_FOR_MS = 60_000;

// Only a run inside a context can be given a time limit; nothing but two strings goes in.
const sandbox: { pattern: string; name: string } = Object.assign(Object.create(null), {
  pattern: '',
  name: '',
});
const context = createContext(sandbox, { codeGeneration: { strings: false, wasm: false } });
const script = new Script('new RegExp(pattern).test(name)');

/** Patterns that took too long, oldest first, with the moment they may be tried again. */
const slowPatterns = new Map<string, number>();

const isTimeout = (error: unknown) =>
  isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

type Verdict = 'fits' | 'misses' | 'too slow';

const run = (pattern: string, name: string): Verdict => {
  sandbox.pattern = `^${pattern}$`;
  sandbox.name = name;
  try {
    return script.runInContext(context, { timeout: TIME_LIMIT_MS }) ? 'fits' : 'misses';
  } catch (error) {
    // What does not compile is no pattern and forbids nothing.
    return isTimeout(error) ? 'too slow' : 'fits';
  }
};

const remember = (pattern: string) => {
  slowPatterns.delete(pattern);
  slowPatterns.set(pattern, Date.now() + REMEMBERED_FOR_MS);
  const [oldest] = slowPatterns.keys();
  if (oldest !== undefined && slowPatterns.size > REMEMBERED_PATTERNS) slowPatterns.delete(oldest);
};

const judge = (pattern: string, name: string): Verdict => {
  if (pattern.length > MAX_PATTERN_LENGTH) return 'too slow';
  if (Date.now() < (slowPatterns.get(pattern) ?? 0)) return 'too slow';

  // The limit is by the clock, so a busy machine can fail a harmless pattern once.
  const first = run(pattern, name);
  const verdict = first === 'too slow' ? run(pattern, name) : first;
  if (verdict === 'too slow') remember(pattern);
  return verdict;
};

/** Throws PatternError when the name misses the project's naming pattern, or the pattern cannot be judged in time. */
export const assertNamingPattern = (name: string, naming: FeatureNaming): void => {
  const { example, description } = naming;
  if (!naming.pattern) return;

  const verdict = judge(naming.pattern, name);
  if (verdict === 'fits') return;

  const pattern = naming.pattern.slice(0, MAX_PATTERN_LENGTH);
  if (verdict === 'too slow') {
    throw new PatternError(
      `The naming pattern of the project takes too long to judge the name '${name}'. Ask an owner of the project for a simpler pattern.`,
      pattern,
      example,
      description,
    );
  }
  throw new PatternError(
    [
      `The name '${name}' does not fit the naming pattern of the project, '${pattern}'.`,
      ...(example ? [`A name that fits is '${example}'.`] : []),
      ...(description ? [`What the pattern asks for: ${description}`] : []),
    ].join(' '),
    pattern,
    example,
    description,
  );
};
