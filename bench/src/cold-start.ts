import type { Progress } from '../../parity/src/progress.js';
import type { Case } from './cases/case.js';
import { graphqlPage, graphqlTotal, graphqlTree } from './cases/graphql.js';
import { restEventCases } from './cases/rest-events.js';
import { largeHealthReport } from './cases/rest-others.js';
import { startGateway } from './contenders/gateway.js';
import type { Store } from './databases.js';
import { createDraw } from './draw.js';
import { sendOnce } from './measure/load.js';
import { median } from './measure/statistics.js';
import type { Settings } from './settings.js';

/** The first response to a question after a start, and later ones. */
export type ColdStart = { title: string; firstMs: number; againMs: number };

const REPEATS = 5;

const casesFor = (events: number): Case[] => [
  ...restEventCases.map((define) => define(events)),
  largeHealthReport(),
  graphqlPage(),
  graphqlTotal(),
  graphqlTree(),
];

const timed = async (url: string, test: Case): Promise<number> => {
  const request = test.drawQuestion(createDraw(0)).requests.gateway;
  if (!request) return Number.NaN;
  const startedAt = performance.now();
  await sendOnce(url, request);
  return performance.now() - startedAt;
};

/** Sends each question to a process that has served only one page. */
export const runColdStarts = async (
  store: Store,
  settings: Settings,
  progress: Progress,
): Promise<ColdStart[]> => {
  const databaseUrl = await store.copy(settings.events, 'gateway', 'text');
  const tests = casesFor(settings.events).filter(({ names }) => names.includes('gateway'));
  const times = tests.map(() => ({ first: [] as number[], again: [] as number[] }));
  try {
    for (let round = 0; round < settings.rounds; round += 1) {
      for (const [index, test] of tests.entries()) {
        const gateway = await startGateway(databaseUrl);
        try {
          await sendOnce(gateway.url, { path: '/api/admin/search/events?limit=1&feature=IS:none' });
          times[index]?.first.push(await timed(gateway.url, test));
          for (let repeat = 0; repeat < REPEATS; repeat += 1)
            times[index]?.again.push(await timed(gateway.url, test));
        } finally {
          await gateway.stop();
        }
        progress.step(
          round * tests.length + index + 1,
          settings.rounds * tests.length,
          'cold starts',
        );
      }
    }
  } finally {
    progress.end();
  }
  return tests.map(({ title }, index) => ({
    title,
    firstMs: median(times[index]?.first ?? []),
    againMs: median(times[index]?.again ?? []),
  }));
};
