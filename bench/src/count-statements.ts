import type { Name } from './contenders/contender.js';
import { startContender } from './contenders/start.js';
import { type BenchRequest, sendOnce } from './measure/load.js';
import { startStatementCounter } from './measure/statement-counter.js';

const REPEATS = 4;

/**
 * Statements that a contender sends for each request: the minimum of several tries after a warm-up. Uses a separate
 * instance, so that counting does not slow down the measured one.
 */
export const countStatements = async (
  name: Name,
  databaseUrl: string,
  benchRequests: readonly (() => BenchRequest)[],
  onProgress: (message: string) => void,
): Promise<number[]> => {
  const counter = await startStatementCounter(databaseUrl);
  try {
    const contender = await startContender(name, counter.url, onProgress, { isQuiet: true });
    try {
      const counts: number[] = [];
      for (const next of benchRequests) {
        const tries: number[] = [];
        for (let repeat = 0; repeat < REPEATS; repeat += 1) {
          counter.take();
          await sendOnce(contender.url, next());
          tries.push(counter.take());
        }
        counts.push(Math.min(...tries.slice(1)));
      }
      return counts;
    } finally {
      await contender.stop();
    }
  } finally {
    await counter.close();
  }
};
