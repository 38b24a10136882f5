import type { Name } from './contenders/contender.js';
import { startContender } from './contenders/start.js';
import { type Ask, askOnce } from './measure/drive.js';
import { startStatementCounter } from './measure/statement-counter.js';

const REPEATS = 4;

/**
 * How many statements a contender sends for each request, the fewest of several tries after a first one. It is asked
 * through an instance of its own, so that counting does not slow down what is measured.
 */
export const countStatements = async (
  name: Name,
  databaseUrl: string,
  asks: readonly Ask[],
  tell: (message: string) => void,
): Promise<number[]> => {
  const counter = await startStatementCounter(databaseUrl);
  try {
    const contender = await startContender(name, counter.url, tell, { isQuiet: true });
    try {
      const counts: number[] = [];
      for (const ask of asks) {
        const tries: number[] = [];
        for (let repeat = 0; repeat < REPEATS; repeat += 1) {
          counter.take();
          await askOnce(contender.url, ask);
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
