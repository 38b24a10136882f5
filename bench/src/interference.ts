import type { Case } from './cases/case.js';
import type { Name } from './contenders/contender.js';
import { createDraw } from './draw.js';
import { type Exchange, runLoad } from './measure/load.js';
import { quantile } from './measure/statistics.js';
import { untilIdle } from './measure/until-idle.js';
import type { Settings } from './settings.js';
import type { TestBed } from './test-bed.js';

/** Latency of other requests during free-text searches without an index. */
export type Interference = {
  name: Name;
  aloneP99: number;
  besideP99: number;
  ratio: number;
  failed: number;
};

const CONNECTIONS = 4;
const SEARCHES = 2;

/** Maximum latency ratio; the searches use the same cores. */
export const MAX_INTERFERENCE = 2;

const measure = async (
  testBed: TestBed,
  name: Name,
  page: Case,
  search: Case,
  settings: Settings,
): Promise<Interference> => {
  const { url } = testBed.contender(name);
  const seconds = settings.seconds;
  const draw = createDraw(0);
  /** Draws questions of a case, whose responses are checked elsewhere. */
  const exchangeOf = (test: Case, contender: Name): Exchange => ({
    next: () => {
      const request = test.drawQuestion(draw).requests[contender];
      if (!request) throw new Error(`${test.id} has no request for ${contender}`);
      return request;
    },
    onResponse: () => undefined,
  });
  const alone: number[] = [];
  const beside: number[] = [];
  let failed = 0;
  const request = async (latencies: number[]) => {
    const pages = exchangeOf(page, name === 'plain' ? 'gateway' : name);
    const result = await runLoad({ url, ...pages, connections: CONNECTIONS, seconds });
    latencies.push(...result.latencies);
    failed += result.failed;
  };

  await request([]);
  for (let round = 0; round < settings.rounds; round += 1) {
    await request(alone);
    const searching = runLoad({
      url,
      ...exchangeOf(search, name),
      connections: SEARCHES,
      seconds: seconds + 0.5,
    });
    await request(beside);
    await searching;
    await untilIdle(testBed.databaseUrl(name), testBed.contender(name).pid);
  }
  const [aloneP99, besideP99] = [quantile(alone, 0.99), quantile(beside, 0.99)];
  return { name, aloneP99, besideP99, ratio: besideP99 / aloneP99, failed };
};

/** Measures one page of a feature, alone and during searches that scan the whole log. */
export const measureInterference = async (
  testBed: TestBed,
  search: Case,
  page: Case,
  settings: Settings,
): Promise<Interference[]> => {
  const results: Interference[] = [];
  for (const name of search.names) {
    results.push(await measure(testBed, name, page, search, settings));
  }
  return results;
};
