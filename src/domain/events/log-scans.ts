import { setTimeout as delay } from 'node:timers/promises';
import { type Db, Prisma } from '../../data/db.js';
import { OverloadedError } from '../errors.js';
import type { LogQuestion } from './log-memory.js';

/** A scan reads so many ids at a time, and rests in between for a share of the time that took. */
const PORTION = 50_000;
const REST_SHARE = 0.75;
/** So many scans may be under way or wait for their turn. */
const MOST_SCANS = 5;

/**
 * Answers questions by reading all of the log. It is read in portions, so that no statement takes long, with rests for
 * everybody else. One scan runs at a time, so that one core at most is busy with them and the first who came is the first
 * who is served.
 */
export const createLogScans = (db: Db) => {
  let scanning: Promise<unknown> = Promise.resolve();
  let underWay = 0;

  const readPortion = async <Value>({ read }: LogQuestion<Value>, from: number, to: number) => {
    const started = performance.now();
    const value = await read(Prisma.sql`e.id > ${from} and e.id <= ${to}`);
    await delay((performance.now() - started) * REST_SHARE);
    return value;
  };

  const scan = async <Value>(question: LogQuestion<Value>, bound: number): Promise<Value> => {
    let value = question.nothing;
    const [{ first }] = await db.$queryRaw<[{ first: number }]>(
      Prisma.sql`select coalesce(min(id), 1) as first from events`,
    );
    for (let from = first - 1; from < bound; from += PORTION) {
      const portion = await readPortion(question, from, Math.min(bound, from + PORTION));
      value = question.merge(value, portion);
    }
    return value;
  };

  return async <Value>(question: LogQuestion<Value>, bound: number): Promise<Value> => {
    if (underWay >= MOST_SCANS) {
      throw new OverloadedError(
        'Too many searches are reading the whole log already. Try again later, or have an index made for free text.',
      );
    }
    underWay += 1;
    const own = scanning.then(() => scan(question, bound));
    scanning = own.catch(() => undefined);
    return own.finally(() => {
      underWay -= 1;
    });
  };
};
