import { type ChildProcess, spawn } from 'node:child_process';

export type PatternResult = 'match' | 'no match' | 'malformed' | 'too slow';

/** The process was killed or did not respond, which says nothing about the pattern. */
export const NO_RESULT = 'no result';

// Compiling or matching an untrusted regular expression can take hours and cannot be interrupted, not even by
// terminating its thread. So it runs in a thread of a separate process. The main thread of that process measures CPU
// time, so that neither a stalled gateway nor a busy machine counts, and kills the process at the limit.
const PROGRAM = `
  const { Worker } = require('node:worker_threads');
  const worker = new Worker(\`
    const { parentPort } = require('node:worker_threads');
    parentPort.on('message', ({ source, text }) => {
      let verdict = 'malformed';
      try {
        verdict = new RegExp(source).test(text) ? 'match' : 'no match';
      } catch {}
      parentPort.postMessage(verdict);
    });
    parentPort.postMessage('ready');
  \`, { eval: true });
  const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  let watch;
  worker.on('message', (verdict) => {
    clearInterval(watch);
    process.send(verdict);
  });
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('message', ({ limitMs, ...job }) => {
    const begun = spent();
    watch = setInterval(() => {
      if (spent() - begun < limitMs) return;
      clearInterval(watch);
      process.send('too slow', () => process.kill(process.pid, 'SIGKILL'));
    }, Math.max(5, limitMs / 20));
    worker.postMessage(job);
  });`;

/** Longest wait for a process that does not respond: stopped, or starved of CPU. */
const SILENCE_LIMIT_MS = 15_000;

export type PatternProcess = {
  /** Takes one request at a time. */
  match(source: string, text: string, limitMs: number): Promise<PatternResult | typeof NO_RESULT>;
};

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const start = (): ChildProcess => {
  const child = spawn(process.execPath, ['--max-old-space-size=64', '-e', PROGRAM], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  });
  // An idle process must not keep the gateway alive.
  child.unref();
  running.add(child);
  child.once('exit', () => running.delete(child));
  // A process that fails to start emits no exit.
  child.on('error', () => running.delete(child));
  return child;
};

/** The next message; null if the process exits without one, or is silent for too long. */
const nextMessage = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => {
    const end = (message: unknown) => {
      clearTimeout(timer);
      child.off('message', end).off('exit', onEnd).off('error', onEnd);
      child.channel?.unref();
      resolve(message);
    };
    const onEnd = () => end(null);
    const timer = setTimeout(onEnd, SILENCE_LIMIT_MS);
    child.channel?.ref();
    child.on('message', end).on('exit', onEnd).on('error', onEnd);
  });

/** Matches regular expressions in a separate process, started on first use and after each exit. */
export const createPatternProcess = (): PatternProcess => {
  let child: ChildProcess | null = null;

  const ready = async (): Promise<ChildProcess | null> => {
    if (child?.connected) return child;
    child = start();
    const isReady = (await nextMessage(child)) === 'ready';
    if (!isReady) child.kill('SIGKILL');
    return isReady ? child : null;
  };

  return {
    match: async (source, text, limitMs) => {
      const matcher = await ready();
      if (!matcher?.connected) return NO_RESULT;
      const reply = nextMessage(matcher);
      matcher.send({ source, text, limitMs }, () => undefined);
      const result = await reply;
      if (result === null || result === 'too slow') {
        matcher.kill('SIGKILL');
        child = null;
      }
      return result === null ? NO_RESULT : (result as PatternResult);
    },
  };
};
