import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

// Somebody else's regular expression can take hours to compile or to match, and compiling can be interrupted neither
// from within its thread nor by ending the thread. So it runs in a process of its own, which can always be killed.
const PROGRAM = `
  process.on('disconnect', () => process.exit());
  process.on('message', ({ source, text }) => {
    let isMatch = null;
    try {
      isMatch = new RegExp(source).test(text);
    } catch {}
    process.send(isMatch);
  });
  process.send('ready');`;

const LIMIT_MS = 1_000;
const START_LIMIT_MS = 10_000;
const MOST_REMEMBERED = 100;
const REMEMBERED_MS = 60_000;

export type PatternVerdict = 'match' | 'no match' | 'malformed' | 'too slow';

const VERDICTS = new Map<unknown, PatternVerdict>([
  [true, 'match'],
  [false, 'no match'],
  [null, 'malformed'],
]);

let judge: ChildProcess | undefined;
let queue: Promise<unknown> = Promise.resolve();
/** Patterns that were given up, and until when they get no second try. */
const tooSlow = new Map<string, number>();

const dismiss = () => {
  judge?.kill('SIGKILL');
  judge = undefined;
};
process.once('exit', dismiss);

const nextMessage = async (from: ChildProcess, limitMs: number): Promise<unknown> => {
  from.channel?.ref();
  try {
    const [message] = await once(from, 'message', { signal: AbortSignal.timeout(limitMs) });
    return message;
  } finally {
    from.channel?.unref();
  }
};

const startJudge = async (): Promise<ChildProcess> => {
  const started = spawn(process.execPath, ['--max-old-space-size=64', '-e', PROGRAM], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  });
  // While nobody waits for it, it must not keep the gateway alive; and should it die, the next pattern gets another one.
  started.unref();
  started.once('exit', () => {
    if (judge === started) judge = undefined;
  });
  await nextMessage(started, START_LIMIT_MS);
  return started;
};

const remember = (source: string) => {
  tooSlow.delete(source);
  tooSlow.set(source, Date.now() + REMEMBERED_MS);
  for (const oldest of tooSlow.keys()) {
    if (tooSlow.size <= MOST_REMEMBERED) break;
    tooSlow.delete(oldest);
  }
};

const run = async (source: string, text: string): Promise<PatternVerdict> => {
  if ((tooSlow.get(source) ?? 0) > Date.now()) return 'too slow';
  judge ??= await startJudge();
  judge.send({ source, text });
  try {
    return VERDICTS.get(await nextMessage(judge, LIMIT_MS)) ?? 'malformed';
  } catch {
    dismiss();
    remember(source);
    return 'too slow';
  }
};

/** Whether a text matches a regular expression; takes a second at most and never holds up anything else. */
export const judgePattern = (source: string, text: string): Promise<PatternVerdict> => {
  const job = queue.then(() => run(source, text));
  queue = job.catch(() => undefined);
  return job;
};
