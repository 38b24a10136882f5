import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;

/** Reads until there is a result; undefined if there is none in time. */
export const poll = async <Result>(
  limitMs: number,
  read: () => Promise<Result | undefined> | Result | undefined,
) => {
  for (const deadline = Date.now() + limitMs; ; ) {
    const result = await read();
    if (result !== undefined) return result;
    if (Date.now() > deadline) return undefined;
    await delay(POLL_MS);
  }
};
