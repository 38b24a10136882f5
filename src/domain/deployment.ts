import { createHash } from 'node:crypto';
import { databaseFailure } from '../data/database-failure.js';
import type { Db } from '../data/db.js';
import { isObject } from './json.js';

/** The database may be restored from elsewhere, or the right to read it be granted, while the gateway runs. */
const KNOWN_FOR_MS = 60_000;

const MARK_LENGTH = 6;

/** A short mark of the id that the service gave this installation; null where there is none, or none that may be read. */
const readMark = async (db: Db): Promise<string | null> => {
  try {
    const setting = await db.setting.findUnique({ where: { name: 'instanceInfo' } });
    const id = isObject(setting?.content) ? setting.content['id'] : undefined;
    if (typeof id !== 'string' || id === '') return null;
    return createHash('sha256').update(id).digest('base64url').slice(0, MARK_LENGTH);
  } catch (error) {
    if (databaseFailure(error) === 'privilege') return null;
    throw error;
  }
};

/** Tells this deployment from others by a mark that stays the same as long as its database does. */
export const createDeployment = (db: Db) => {
  let known: { mark: Promise<string | null>; until: number } | null = null;

  return {
    findMark: (): Promise<string | null> => {
      if (known && performance.now() < known.until) return known.mark;
      const current = { mark: readMark(db), until: performance.now() + KNOWN_FOR_MS };
      known = current;
      current.mark.catch(() => {
        if (known === current) known = null;
      });
      return current.mark;
    },
  };
};
