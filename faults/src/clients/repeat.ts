import { setTimeout as delay } from 'node:timers/promises';

/** Repeats a request until stopped; collects the results. */
export const repeat = (everyMs: number, send: (round: number) => Promise<string | null>) => {
  const found: string[] = [];
  let isStopped = false;
  let round = 0;
  const inFlight = new Set<Promise<void>>();
  const loop = (async () => {
    while (!isStopped) {
      round += 1;
      const sending = send(round)
        .then((text) => void (text !== null && found.push(text)))
        .catch(() => undefined);
      inFlight.add(sending);
      sending.finally(() => inFlight.delete(sending));
      await delay(everyMs);
    }
  })();
  return async () => {
    isStopped = true;
    await loop;
    await Promise.all(inFlight);
    return { found, count: round };
  };
};
