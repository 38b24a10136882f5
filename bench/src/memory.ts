import type { Progress } from '../../parity/src/progress.js';
import { readingCases } from './cases/index.js';
import { startGateway } from './contenders/gateway.js';
import type { Store } from './databases.js';
import { drive } from './measure/drive.js';
import { residentMbOf } from './measure/process-usage.js';
import { mean } from './measure/statistics.js';
import type { Settings } from './settings.js';

export type Memory = {
  /** Mean megabytes in each minute. */
  minutes: number[];
  requests: number;
  failed: number;
  /** Mean of the last third over that of the middle third. */
  ratio: number;
  isFlat: boolean;
};

/** That much more in the last third than in the middle one still counts as flat. */
const MOST_RISE = 1.1;
const SLICE_S = 2;
const MINUTE_MS = 60_000;

const third = (values: readonly number[], which: 1 | 2): number => {
  const size = values.length / 3;
  return mean(values.slice(Math.floor(size * which), Math.floor(size * (which + 1))));
};

/** All kinds of requests in turn, for minutes, while the memory of the process is watched. */
export const runMemory = async (
  store: Store,
  minutes: number,
  settings: Settings,
  progress: Progress,
): Promise<Memory> => {
  const url = await store.copy(settings.events, 'gateway', 'text');
  const asks = readingCases(settings.events).flatMap(({ parts }) => parts.gateway?.ask ?? []);
  const gateway = await startGateway(url);
  const samples: { minute: number; mb: number }[] = [];
  const begun = Date.now();
  const end = begun + minutes * MINUTE_MS;
  const timer = setInterval(() => {
    const mb = residentMbOf(gateway.pid);
    if (mb !== undefined)
      samples.push({ minute: Math.floor((Date.now() - begun) / MINUTE_MS), mb });
  }, 500);

  let requests = 0;
  let failed = 0;
  try {
    for (let turn = 0; Date.now() < end; turn += 1) {
      const ask = asks[turn % asks.length];
      if (!ask) break;
      const { connections } = settings;
      const driven = await drive({
        url: gateway.url,
        ask,
        connections,
        seconds: SLICE_S,
        isRight: () => true,
      });
      requests += driven.latencies.length;
      failed += driven.failed;
      progress.step(Math.min(Date.now(), end) - begun, end - begun, 'ms of mixed load');
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
  return { minutes: perMinute, requests, failed, ratio, isFlat: ratio <= MOST_RISE };
};
