import type { Progress } from '../../parity/src/progress.js';
import { readingCases } from './cases/index.js';
import { startGateway } from './contenders/gateway.js';
import type { Store } from './databases.js';
import { createDraw } from './draw.js';
import { runLoad } from './measure/load.js';
import { residentMbOf } from './measure/process-usage.js';
import { mean } from './measure/statistics.js';
import type { Settings } from './settings.js';

export type Memory = {
  /** Mean megabytes in each minute. */
  minutes: number[];
  requests: number;
  failed: number;
  /** Mean of the last third divided by that of the middle third. */
  ratio: number;
  isFlat: boolean;
};

/** Maximum ratio of the last third to the middle third that counts as flat. */
const MAX_RISE = 1.1;
const SLICE_S = 2;
const MINUTE_MS = 60_000;

const third = (values: readonly number[], which: 1 | 2): number => {
  const size = values.length / 3;
  return mean(values.slice(Math.floor(size * which), Math.floor(size * (which + 1))));
};

/** Sends all kinds of requests for minutes and samples the memory of the process. */
export const runMemory = async (
  store: Store,
  minutes: number,
  settings: Settings,
  progress: Progress,
): Promise<Memory> => {
  const url = await store.copy(settings.events, 'gateway', 'text');
  const cases = readingCases(settings.events).filter(({ names }) => names.includes('gateway'));
  const draw = createDraw(0);
  const gateway = await startGateway(url);
  const samples: { minute: number; mb: number }[] = [];
  const startedAt = Date.now();
  const end = startedAt + minutes * MINUTE_MS;
  const timer = setInterval(() => {
    const mb = residentMbOf(gateway.pid);
    if (mb !== undefined)
      samples.push({ minute: Math.floor((Date.now() - startedAt) / MINUTE_MS), mb });
  }, 500);

  let requests = 0;
  let failed = 0;
  try {
    for (let round = 0; Date.now() < end; round += 1) {
      const test = cases[round % cases.length];
      if (!test) break;
      const { connections } = settings;
      const result = await runLoad({
        url: gateway.url,
        next: () => test.drawQuestion(draw).requests.gateway ?? { path: '/' },
        onResponse: () => undefined,
        connections,
        seconds: SLICE_S,
      });
      requests += result.latencies.length;
      failed += result.failed;
      progress.step(Math.min(Date.now(), end) - startedAt, end - startedAt, 'ms of mixed load');
    }
  } finally {
    clearInterval(timer);
    progress.end();
    await gateway.stop();
  }
  const perMinute = Array.from({ length: Math.ceil(minutes) }, (_, minute) =>
    mean(samples.filter((sample) => sample.minute === minute).map(({ mb }) => mb)),
  );
  const all = samples.map(({ mb }) => mb);
  const ratio = third(all, 2) / third(all, 1);
  return { minutes: perMinute, requests, failed, ratio, isFlat: ratio <= MAX_RISE };
};
