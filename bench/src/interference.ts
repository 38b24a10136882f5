import type { Arena } from './arena.js';
import type { Case } from './cases/case.js';
import type { Name } from './contenders/contender.js';
import { type Ask, drive } from './measure/drive.js';
import { quantile } from './measure/statistics.js';
import { untilIdle } from './measure/until-idle.js';
import { namesOf } from './measure-case.js';
import type { Settings } from './settings.js';

/** How long other requests take while somebody searches free text without an index. */
export type Interference = {
  name: Name;
  aloneP99: number;
  besideP99: number;
  ratio: number;
  failed: number;
};

const CONNECTIONS = 4;
const SEARCHES = 2;

/** At most that much longer counts as keeping up: the searches take a share of the same cores. */
export const MOST_INTERFERENCE = 2;

let words = 0;

/** Every search looks for a word nobody has looked for: what is known of another does not help. */
const freshWords = (ask: Ask | undefined): Ask | undefined =>
  ask && {
    ...ask,
    path: ask.path.replace(/&limit=\d+/, ''),
    suffix: () => {
      words += 1;
      return `${words}`;
    },
  };

const measure = async (
  arena: Arena,
  name: Name,
  page: Ask,
  search: Ask,
  settings: Settings,
): Promise<Interference> => {
  const { url } = arena.contender(name);
  const seconds = settings.seconds;
  const alone: number[] = [];
  const beside: number[] = [];
  let failed = 0;
  const ask = async (latencies: number[]) => {
    const load = { url, ask: page, connections: CONNECTIONS, seconds, isRight: () => true };
    const driven = await drive(load);
    latencies.push(...driven.latencies);
    failed += driven.failed;
  };

  await ask([]);
  for (let round = 0; round < settings.rounds; round += 1) {
    await ask(alone);
    const searching = drive({
      url,
      ask: search,
      connections: SEARCHES,
      seconds: seconds + 0.5,
      isRight: () => true,
    });
    await ask(beside);
    await searching;
    await untilIdle(arena.databaseUrl(name), arena.contender(name).pid);
  }
  const [aloneP99, besideP99] = [quantile(alone, 0.99), quantile(beside, 0.99)];
  return { name, aloneP99, besideP99, ratio: besideP99 / aloneP99, failed };
};

/** One page of a feature, alone and beside searches that have to read the whole log. */
export const measureInterference = async (
  arena: Arena,
  search: Case,
  page: Case,
  settings: Settings,
): Promise<Interference[]> => {
  const results: Interference[] = [];
  for (const name of namesOf(search)) {
    const pageAsk = page.parts[name === 'plain' ? 'gateway' : name]?.ask;
    const searchAsk = freshWords(search.parts[name]?.ask);
    if (pageAsk && searchAsk) {
      results.push(await measure(arena, name, pageAsk, searchAsk, settings));
    }
  }
  return results;
};
