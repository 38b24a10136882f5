import { createHash } from 'node:crypto';
import { databaseFailure } from '../data/database-failure.js';
import type { Db } from '../data/db.js';
import { createSingleFlight, responseTimeout } from '../data/work/single-flight.js';
import { isObject } from './json.js';

/** A restore or a new grant can change the result while the gateway runs. */
const TTL_MS = 60_000;

const FINGERPRINT_LENGTH = 6;

/** Short hash of Unleash's instance ID; null if it is missing or not readable. */
const readFingerprint = async (db: Db): Promise<string | null> => {
  try {
    const setting = await db.setting.findFirst({ where: { name: 'instanceInfo' } });
    const id = isObject(setting?.content) ? setting.content['id'] : undefined;
    if (typeof id !== 'string' || id === '') return null;
    return createHash('sha256').update(id).digest('base64url').slice(0, FINGERPRINT_LENGTH);
  } catch (error) {
    if (databaseFailure(error) === 'privilege') return null;
    throw error;
  }
};

/** Identifies this deployment by a fingerprint that is stable as long as its database is. */
export const createDeployment = (
  db: Db,
  { statementTimeoutMs }: { statementTimeoutMs?: number | undefined } = {},
) => {
  const read = createSingleFlight(() => readFingerprint(db), responseTimeout(statementTimeoutMs));
  let cached: { fingerprint: string | null; until: number } | null = null;

  return {
    findFingerprint: async (): Promise<string | null> => {
      if (cached && performance.now() < cached.until) return cached.fingerprint;
      const fingerprint = await read();
      cached = { fingerprint, until: performance.now() + TTL_MS };
      return fingerprint;
    },
  };
};
