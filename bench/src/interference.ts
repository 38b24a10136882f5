import type { Case } from './cases/case.js';
import type { Name } from './contenders/contender.js';
import { type BenchRequest, runLoad } from './measure/load.js';
import { quantile } from './measure/statistics.js';
import { untilIdle } from './measure/until-idle.js';
import { namesOf } from './measure-case.js';
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

let wordCount = 0;

/** Every search has a unique word, so that no cache helps. */
const uniqueWords = (request: BenchRequest | undefined): BenchRequest | undefined =>
  request && {
    ...request,
    path: request.path.replace(/&limit=\d+/, ''),
    suffix: () => {
      wordCount += 1;
      return `${wordCount}`;
    },
  };

const measure = async (
  testBed: TestBed,
  name: Name,
  page: BenchRequest,
  search: BenchRequest,
  settings: Settings,
): Promise<Interference> => {
  const { url } = testBed.contender(name);
  const seconds = settings.seconds;
  const alone: number[] = [];
  const beside: number[] = [];
  let failed = 0;
  const request = async (latencies: number[]) => {
    const load = { url, request: page, connections: CONNECTIONS, seconds, isCorrect: () => true };
    const result = await runLoad(load);
    latencies.push(...result.latencies);
    failed += result.failed;
  };

  await request([]);
  for (let round = 0; round < settings.rounds; round += 1) {
    await request(alone);
    const searching = runLoad({
      url,
      request: search,
      connections: SEARCHES,
      seconds: seconds + 0.5,
      isCorrect: () => true,
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
  for (const name of namesOf(search)) {
    const pageRequest = page.parts[name === 'plain' ? 'gateway' : name]?.request;
    const searchRequest = uniqueWords(search.parts[name]?.request);
    if (pageRequest && searchRequest) {
      results.push(await measure(testBed, name, pageRequest, searchRequest, settings));
    }
  }
  return results;
};
