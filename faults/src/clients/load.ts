import { setTimeout as delay } from 'node:timers/promises';
import { TOKENS } from '../world/tokens.js';
import { sendGraphQL } from './http.js';

/** Sends queries that miss every cache, so that several connections are in use when the fault happens. */
export const startLoad = (url: string, loops: number) => {
  let isStopped = false;
  let requestCount = 0;
  const loop = async () => {
    while (!isStopped) {
      requestCount += 1;
      const query = `{ events(first: 5, filter: { id: { from: ${requestCount % 5_000}, before: ${(requestCount % 5_000) + 900} } }) { totalCount nodes { id data } } }`;
      await sendGraphQL(url, query, { token: TOKENS.cloner, timeoutMs: 40_000 }).catch(() =>
        delay(50),
      );
    }
  };
  const running = Promise.all(Array.from({ length: loops }, loop));
  return () => {
    isStopped = true;
    return running;
  };
};
