import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;

/** Polls until there is a result; undefined after the timeout. */
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
