import { setTimeout as delay } from 'node:timers/promises';
import type { HonestClient, Sample } from './honest-client.js';

/** Maximum latency of a correct response that counts as good service. */
const GOOD_MS = 1_000;
const QUIET_MS = 4_000;

const isGood = ({ outcome, milliseconds }: Sample) => outcome === 'ok' && milliseconds <= GOOD_MS;

const lastBad = (samples: readonly Sample[], since: number): number =>
  samples
    .filter((sample) => sample.start >= since && !isGood(sample))
    .reduce((latest, { start }) => Math.max(latest, start), since);

/** Seconds from a fault until all later requests get good service; Infinity if the limit elapses first. */
export const recoveryAfter = async (
  honest: HonestClient,
  faultAt: number,
  limitSeconds = 45,
): Promise<number> => {
  for (;;) {
    await delay(200);
    const bad = lastBad(honest.samples, faultAt);
    const latest = honest.samples.at(-1)?.start ?? 0;
    const isServed = honest.inFlight() <= 3 && latest - bad >= QUIET_MS;
    if (isServed) return (bad - faultAt) / 1000;
    if (honest.now() - faultAt > limitSeconds * 1000) return Number.POSITIVE_INFINITY;
  }
};
