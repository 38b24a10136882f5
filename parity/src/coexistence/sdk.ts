import { ask, at, listAt } from './ask.js';
import type { Stage } from './stage.js';
import { type Probe, until } from './watch.js';

/** A client of the original, as an SDK in environment development is one. */
export type Sdk = {
  /** Asks once, with what it knows; tells the status. */
  poll(): Promise<number>;
  /** A feature as it was served last. */
  feature(name: string): unknown;
  /** Polls, and tells which features are served by now. */
  serves: Probe;
  /** Polls until nothing new comes. */
  calmDown(): Promise<boolean>;
};

const CALM_LIMIT_MS = 5_000;

export const createSdk = (stage: Stage): Sdk => {
  const features = new Map<string, unknown>();
  let etag: string | undefined;

  const poll = async () => {
    const answer = await ask(`${stage.original().url}/api/client/features`, {
      authorization: stage.as('madeClient'),
      ...(etag !== undefined && { etag }),
    });
    if (answer.status === 304) return 304;
    if (answer.status !== 200)
      throw new Error(`the SDK was answered ${answer.status}: ${answer.text}`);
    etag = answer.headers.etag;
    features.clear();
    for (const feature of listAt(answer.json, 'features')) {
      features.set(String(at(feature, 'name')), feature);
    }
    return 200;
  };

  return {
    poll,
    feature: (name) => features.get(name),
    serves: async (names) => {
      await poll();
      return names.filter((name) => features.has(name));
    },
    calmDown: async () =>
      (await until(CALM_LIMIT_MS, async () => ((await poll()) === 304 ? true : undefined))) ===
      true,
  };
};
