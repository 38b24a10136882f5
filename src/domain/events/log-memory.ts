import { type Db, Prisma } from '../../data/db.js';
import { createLogScans } from './log-scans.js';
import { createSettledLog, type Settled } from './settled-log.js';

/** So many newer events are read again with every request before the bound moves on. */
const WORTH_MOVING = 1_000;
const TRY_EVERY_MS = 1_000;
const VERIFY_EVERY_MS = 60_000;
/** An answer is verified so seldom that it takes this share of the time at most. */
const VERIFY_SHARE = 100;
/** What is remembered may weigh so much in all, some ten megabytes. */
const MAX_WEIGHT = 200_000;
const ENTRY_WEIGHT = 20;

/** A question about all events that can be answered part by part. */
export type LogQuestion<Value> = {
  /** Tells this question from all others. */
  key: string;
  /** The answer for a range of ids of events aliased `e`. */
  read: (range: Prisma.Sql) => Promise<Value>;
  merge: (older: Value, newer: Value) => Value;
  /** The answer where there are no events. */
  nothing: Value;
  /** How many numbers an answer is made of, where they are more than a few. */
  weigh?: (value: Value) => number;
  /** Whether the events must be read one by one for the lack of an index. */
  needsScan?: () => Promise<boolean>;
  /** The original writes the authors of old events into them afterwards; until all have one, nothing is final. */
  readsAuthors?: boolean;
};

/** What is known for good: the answer for events up to an id; without one nothing is known. */
export type Known<Value> = { upTo: number | null; value: Value };

export type LogMemory = {
  /** Whether an answer to this question needs to read newer events only. */
  knows(question: { key: string }): boolean;
  /** Answers on top of what is known; the statement that reads the newer events also selects `LOG_MARK` and hands it on. */
  ask<Value, Answer>(
    question: LogQuestion<Value>,
    answer: (known: Known<Value>) => Promise<{ mark: string; answer: Answer }>,
  ): Promise<Answer>;
};

/** The events that are newer than what is known. */
export const newerThan = ({ upTo }: Known<unknown>): Prisma.Sql =>
  upTo === null ? Prisma.sql`true` : Prisma.sql`e.id > ${upTo}`;

type Entry = Known<unknown> & {
  upTo: number;
  mark: string;
  weight: number;
  verifiedAt: number;
  costMs: number;
  /** When it was last tried to move the bound on. */
  triedAt: number;
};

/**
 * Exact answers that do not read the whole log again and again: what holds for its settled part is remembered for each
 * question, and only newer events are read anew. Deleted events make all of it be forgotten; against updates by hand,
 * which no running service makes, remembered answers are verified now and then.
 */
export const createLogMemory = (
  db: Db,
  { now = Date.now, worthMoving = WORTH_MOVING, log = createSettledLog(db) } = {},
): LogMemory => {
  const scan = createLogScans(db);
  const entries = new Map<string, Entry>();
  const learning = new Map<string, Promise<void>>();
  let weight = 0;
  let verifying: string | null = null;

  const forget = (key: string) => {
    weight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  const forgetAll = () => {
    entries.clear();
    weight = 0;
  };
  const keep = (key: string, entry: Entry) => {
    forget(key);
    entries.set(key, entry);
    weight += entry.weight;
    for (const oldest of entries.keys()) {
      if (weight <= MAX_WEIGHT) break;
      forget(oldest);
    }
  };
  /** What was asked for last is forgotten last. */
  const touch = (key: string) => {
    const entry = entries.get(key);
    if (entry && entries.delete(key)) entries.set(key, entry);
  };
  const weightOf = <Value>({ weigh }: LogQuestion<Value>, value: Value) =>
    ENTRY_WEIGHT + (weigh?.(value) ?? 0);

  /** How far answers can be remembered: what is deleted later must be noticed. */
  const lookBack = async (): Promise<Settled | null> => {
    const { settled, seesDeletes } = await log.look();
    return seesDeletes ? settled : null;
  };

  const hasAllAuthors = async (): Promise<boolean> => {
    const [{ hasAll }] = await db.$queryRaw<[{ hasAll: boolean }]>(
      Prisma.sql`select not exists (select from events where created_by_user_id is null) as "hasAll"`,
    );
    return hasAll;
  };

  const readUpTo = async <Value>(question: LogQuestion<Value>, bound: number): Promise<Value> =>
    (await question.needsScan?.())
      ? scan(question, bound)
      : question.read(Prisma.sql`e.id <= ${bound}`);

  const learn = async <Value>(question: LogQuestion<Value>): Promise<void> => {
    if (question.readsAuthors && !(await hasAllAuthors())) return;
    const settled = await lookBack();
    if (!settled) return;
    const started = now();
    const value = await readUpTo(question, settled.bound);
    keep(question.key, {
      upTo: settled.bound,
      value,
      mark: settled.mark,
      weight: weightOf(question, value),
      verifiedAt: now(),
      costMs: now() - started,
      triedAt: now(),
    });
  };

  /** Who comes while somebody learns the same waits for it. */
  const learnOnce = <Value>(question: LogQuestion<Value>): Promise<void> => {
    const { key } = question;
    const own = learning.get(key) ?? learn(question).finally(() => learning.delete(key));
    learning.set(key, own);
    return own;
  };

  const moveOn = async <Value>(question: LogQuestion<Value>, entry: Entry) => {
    if (question.readsAuthors && !(await hasAllAuthors())) return forget(question.key);
    const settled = await lookBack();
    if (!settled || settled.mark !== entry.mark) return;
    if (settled.bound - entry.upTo < worthMoving) return;
    const newer = await question.read(
      Prisma.sql`e.id > ${entry.upTo} and e.id <= ${settled.bound}`,
    );
    if (entries.get(question.key) !== entry) return;
    const value = question.merge(entry.value as Value, newer);
    keep(question.key, {
      ...entry,
      upTo: settled.bound,
      value,
      weight: weightOf(question, value),
    });
  };

  const verify = async <Value>(question: LogQuestion<Value>, entry: Entry) => {
    const started = now();
    // Also where it fails: what takes too long must not be tried again with every request.
    entry.verifiedAt = started;
    if ((await log.look()).last < entry.upTo) return forgetAll();
    const value = await readUpTo(question, entry.upTo);
    if (entries.get(question.key) !== entry) return;
    keep(question.key, {
      ...entry,
      value,
      weight: weightOf(question, value),
      verifiedAt: now(),
      costMs: now() - started,
    });
  };

  const isDue = ({ verifiedAt, costMs }: Entry) =>
    now() - verifiedAt > Math.max(VERIFY_EVERY_MS, costMs * VERIFY_SHARE);

  /** Work beside the answer; should it fail, the next request tries again. */
  const tend = <Value>(question: LogQuestion<Value>, entry: Entry) => {
    if (isDue(entry) && verifying === null) {
      verifying = question.key;
      verify(question, entry)
        .catch(() => undefined)
        .finally(() => {
          verifying = null;
        });
    } else if (now() - entry.triedAt > TRY_EVERY_MS && verifying !== question.key) {
      entry.triedAt = now();
      moveOn(question, entry).catch(() => undefined);
    }
  };

  return {
    knows: ({ key }) => entries.has(key),
    ask: async <Value, Answer>(
      question: LogQuestion<Value>,
      answer: (known: Known<Value>) => Promise<{ mark: string; answer: Answer }>,
    ) => {
      const { key } = question;
      if (!entries.has(key)) await learnOnce(question);
      const entry = entries.get(key);
      if (entry) {
        const found = await answer(entry as Known<Value>);
        if (found.mark === entry.mark) {
          touch(key);
          tend(question, entry);
          return found.answer;
        }
        forgetAll();
      }
      return (await answer({ upTo: null, value: question.nothing })).answer;
    },
  };
};
