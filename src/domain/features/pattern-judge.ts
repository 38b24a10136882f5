import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

// Somebody else's regular expression can take hours to compile or to match, and neither can be interrupted from
// within its thread. So it runs in a thread of its own, which is given up when it takes too long.
const PROGRAM = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ source, text }) => {
    let isMatch = null;
    try {
      isMatch = new RegExp(source).test(text);
    } catch {}
    parentPort.postMessage(isMatch);
  });`;

const LIMIT_MS = 1_000;
const MOST_REMEMBERED = 100;

export type PatternVerdict = 'match' | 'no match' | 'malformed' | 'too slow';

const VERDICTS = new Map<boolean | null, PatternVerdict>([
  [true, 'match'],
  [false, 'no match'],
  [null, 'malformed'],
]);

let worker: Worker | undefined;
let queue: Promise<unknown> = Promise.resolve();
/** Patterns that were given up once; they get no second thread. */
const tooSlow = new Set<string>();

const startWorker = async (): Promise<Worker> => {
  const started = new Worker(PROGRAM, { eval: true });
  started.unref();
  await once(started, 'online');
  return started;
};

const giveUp = (source: string) => {
  void worker?.terminate();
  worker = undefined;
  tooSlow.add(source);
  for (const oldest of tooSlow) {
    if (tooSlow.size <= MOST_REMEMBERED) break;
    tooSlow.delete(oldest);
  }
};

const run = async (source: string, text: string): Promise<PatternVerdict> => {
  if (tooSlow.has(source)) return 'too slow';
  worker ??= await startWorker();
  worker.postMessage({ source, text });
  try {
    const [isMatch] = await once(worker, 'message', { signal: AbortSignal.timeout(LIMIT_MS) });
    return VERDICTS.get(isMatch) ?? 'malformed';
  } catch {
    giveUp(source);
    return 'too slow';
  }
};

/** Whether a text matches a regular expression; takes a second at most and never holds up anything else. */
export const judgePattern = (source: string, text: string): Promise<PatternVerdict> => {
  const job = queue.then(() => run(source, text));
  queue = job;
  return job;
};
