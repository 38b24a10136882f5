import { at, listAt, sendRequest } from './requests.js';
import type { Stage } from './stage.js';
import { type Probe, until } from './watch.js';

/** Polls upstream as an SDK in environment development does. */
export type Sdk = {
  /** Polls once with the last ETag; returns the status. */
  poll(): Promise<number>;
  /** A feature as last served. */
  feature(name: string): unknown;
  /** Polls, and returns the features served so far. */
  serves: Probe;
  /** Polls until the response no longer changes. */
  calmDown(): Promise<boolean>;
};

const CALM_LIMIT_MS = 5_000;

export const createSdk = (stage: Stage): Sdk => {
  const features = new Map<string, unknown>();
  let etag: string | undefined;

  const poll = async () => {
    const response = await sendRequest(`${stage.upstream().url}/api/client/features`, {
      authorization: stage.as('madeClient'),
      ...(etag !== undefined && { etag }),
    });
    if (response.status === 304) return 304;
    if (response.status !== 200)
      throw new Error(`the SDK received ${response.status}: ${response.text}`);
    etag = response.headers.etag;
    features.clear();
    for (const feature of listAt(response.json, 'features')) {
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
