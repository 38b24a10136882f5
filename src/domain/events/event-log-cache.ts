import type { Db } from '../../data/db.js';
import { idsWithin, readIdRange } from '../../data/events/id-ranges.sql.js';
import { hasAllAuthors } from '../../data/events/log-facts.sql.js';
import { NO_REPLICAS } from '../../data/replicas/replica-set.js';
import { createSharedAbort, type SharedAbort } from '../../data/work/shared-abort.js';
import { runDetached, runForAll } from '../../data/work/work.js';
import { createScanLimiter, type ScanLimiter, type Turn } from '../scan-limiter.js';
import { type CacheableQuery, type CachedValue, readUpTo, scanUpTo } from './cacheable-query.js';
import { createCacheEntries, type CacheEntry as Entry } from './event-log-cache-entries.js';
import { createLogRecount } from './log-recount.js';
import { createSettledLog, type Settled, type SettledLog } from './settled-log.js';

/** Newer events that each request reads again before the bound advances. */
const ADVANCE_AFTER = 1_000;
const ADVANCE_EVERY_MS = 1_000;
const VERIFY_EVERY_MS = 60_000;
const PREPARE_EVERY_MS = 60_000;
/** Entries are verified so rarely that it takes at most 1/100 of the time. */
const VERIFY_SHARE = 100;
/** Weight of an entry besides its values. */
const ENTRY_WEIGHT = 20;
/** A verification that takes longer no longer blocks others. */
const VERIFY_LIMIT_MS = 300_000;

type ReadNewer<Value, Result> = (
  known: CachedValue<Value>,
) => Promise<{ mark: string; result: Result }>;

export type EventLogCache = {
  /** Whether only newer events must be read to answer this query. */
  has(query: { key: string }): boolean;
  peek<Value>(query: CacheableQuery<Value>): Value | undefined;
  /** Computes an answer in the background, for later queries. At most once a minute, also if it fails. */
  prepare<Value>(query: CacheableQuery<Value>): void;
  /**
   * Answers from the cached value; the statement that reads newer events also returns `LOG_EPOCH`.
   * If it is heavy nevertheless, it runs under the scan limiter.
   */
  query<Value, Result>(
    query: CacheableQuery<Value>,
    readNewer: ReadNewer<Value, Result>,
    isHeavy?: (value: Value) => boolean,
  ): Promise<Result>;
  /** Watermark up to which a result computed from now on can be cached; null if it cannot. */
  findWatermark<Value>(query: CacheableQuery<Value>): Promise<Settled | null>;
  /** Caches a result for all events up to a watermark that was read before. */
  store<Value>(query: CacheableQuery<Value>, settled: Settled, value: Value): void;
  /** Limits everything that may read the whole log. */
  readonly limiter: ScanLimiter;
  readonly log: SettledLog;
};

const GATEWAY_CALLER: ReadonlySet<string> = new Set(['']);

type Computation = { sharedAbort: SharedAbort; callers: Set<string>; done: Promise<void> };

const weightOf = <Value>({ weigh }: CacheableQuery<Value>, value: Value) =>
  ENTRY_WEIGHT + (weigh?.(value) ?? 0);

/**
 * Exact answers without rereading the whole log: the result for its settled part is cached for each query, and
 * only newer events are read. Deleted events invalidate the cache within ten seconds. Cached results are verified now and then, in case
 * of manual updates, which Unleash never makes.
 */
export const createEventLogCache = (
  db: Db,
  {
    now = Date.now,
    advanceAfter = ADVANCE_AFTER,
    log = createSettledLog(db),
    limiter = createScanLimiter(),
    replicas = NO_REPLICAS,
    recount = createLogRecount(db, now),
  } = {},
): EventLogCache => {
  const entries = createCacheEntries();
  const computations = new Map<string, Computation>();
  let preparedAt = Number.NEGATIVE_INFINITY;
  let verifying: { key: string; since: number } | null = null;

  const findWatermark = async (): Promise<Settled | null> => {
    const { settled, seesDeletes } = await log.poll();
    if (!settled || !seesDeletes) return null;
    await replicas.reach(settled.at);
    await recount.begin(settled.bound);
    return settled;
  };

  const findBound = async (): Promise<number | null> => (await log.poll()).settled?.bound ?? null;

  const store = <Value>(
    query: CacheableQuery<Value>,
    settled: Settled,
    value: Value,
    costMs = 0,
  ) => {
    const [owner] = query.callers ?? [];
    entries.set(query.key, {
      upTo: settled.bound,
      value,
      epoch: settled.epoch,
      settledAt: settled.at,
      owner,
      weight: weightOf(query, value),
      verifiedAt: now(),
      costMs,
      triedAt: now(),
    });
  };

  const compute = async <Value>(query: CacheableQuery<Value>, turn: Turn): Promise<void> => {
    if (query.readsAuthors && !(await turn(() => hasAllAuthors(db)))) return;
    const settled = await findWatermark();
    if (!settled) return;
    const started = now();
    const value = await readUpTo(db, query, settled.bound, turn);
    store(query, settled, value, now() - started);
  };

  const beginComputation = <Value>(query: CacheableQuery<Value>): Computation => {
    const { key } = query;
    const sharedAbort = createSharedAbort();
    const callers = new Set(query.callers ?? GATEWAY_CALLER);
    const done = runForAll(
      () => limiter.run(callers, (turn) => compute(query, turn)),
      sharedAbort.signal,
    ).finally(() => {
      sharedAbort.dispose();
      if (computations.get(key) === own) computations.delete(key);
    });
    const own = { sharedAbort, callers, done };
    computations.set(key, own);
    return own;
  };

  /** Concurrent queries share the computation, which is cancelled when no caller waits for it any more. */
  const computeOnce = <Value>(query: CacheableQuery<Value>): Promise<void> => {
    const current = computations.get(query.key);
    const isUsable = current && !current.sharedAbort.signal.aborted;
    const { sharedAbort, callers, done } = isUsable ? current : beginComputation(query);
    for (const caller of query.callers ?? GATEWAY_CALLER) callers.add(caller);
    sharedAbort.join();
    sharedAbort.begin();
    return done;
  };

  const advance = async <Value>(query: CacheableQuery<Value>, entry: Entry, turn: Turn) => {
    if (query.readsAuthors && !(await turn(() => hasAllAuthors(db))))
      return entries.delete(query.key);
    const settled = await findWatermark();
    if (!settled || settled.epoch !== entry.epoch) return;
    if (settled.bound - entry.upTo < advanceAfter) return;
    const newer = await turn(() =>
      query.read(idsWithin({ first: entry.upTo + 1, last: settled.bound })),
    );
    if (entries.get(query.key) !== entry) return;
    const value = query.merge(entry.value as Value, newer);
    entries.set(query.key, {
      ...entry,
      upTo: settled.bound,
      settledAt: settled.at,
      value,
      weight: weightOf(query, value),
    });
  };

  const verify = async <Value>(query: CacheableQuery<Value>, entry: Entry, turn: Turn) => {
    const started = now();
    // Set even if it fails: a slow verification must not be retried on every request.
    entry.verifiedAt = started;
    if ((await log.poll()).last < entry.upTo) return entries.clear();
    const value = await readUpTo(db, query, entry.upTo, turn);
    if (entries.get(query.key) !== entry) return;
    entries.set(query.key, {
      ...entry,
      value,
      weight: weightOf(query, value),
      verifiedAt: now(),
      costMs: now() - started,
    });
  };

  const isDue = ({ verifiedAt, costMs }: Entry) =>
    now() - verifiedAt > Math.max(VERIFY_EVERY_MS, costMs * VERIFY_SHARE);

  const isVerifying = () =>
    verifying !== null && performance.now() - verifying.since < VERIFY_LIMIT_MS;

  /** Background work; if it fails, the next request retries. */
  const refreshInBackground = <Value>(query: CacheableQuery<Value>, entry: Entry) => {
    if (isDue(entry) && !isVerifying()) {
      const own = { key: query.key, since: performance.now() };
      verifying = own;
      limiter
        .run(GATEWAY_CALLER, (turn) => verify(query, entry, turn))
        .catch(() => undefined)
        .finally(() => {
          if (verifying === own) verifying = null;
        });
    } else if (now() - entry.triedAt > ADVANCE_EVERY_MS && verifying?.key !== query.key) {
      entry.triedAt = now();
      limiter.run(GATEWAY_CALLER, (turn) => advance(query, entry, turn)).catch(() => undefined);
    }
  };

  /** Without a cache entry, what no index finds is still read in portions. */
  const readUncached = <Value, Result>(
    query: CacheableQuery<Value>,
    readNewer: ReadNewer<Value, Result>,
  ) =>
    limiter.run(query.callers ?? GATEWAY_CALLER, async (turn) => {
      if (!(await query.needsScan?.())) {
        return turn(() => log.readCurrent(() => readNewer({ upTo: null, value: query.nothing })));
      }
      const { last } = await turn(() => readIdRange(db));
      const value = await scanUpTo(db, query, last, turn);
      return turn(() => log.readCurrent(() => readNewer({ upTo: last, value })));
    });

  return {
    has: ({ key }) => entries.get(key) !== undefined,
    peek: <Value>({ key }: CacheableQuery<Value>) => entries.get(key)?.value as Value | undefined,
    prepare: (query) => {
      if (now() - preparedAt < PREPARE_EVERY_MS) return;
      preparedAt = now();
      runDetached(() => computeOnce(query)).catch(() => undefined);
    },
    query: async <Value, Result>(
      query: CacheableQuery<Value>,
      readNewer: ReadNewer<Value, Result>,
      isHeavy: (value: Value) => boolean = () => false,
    ) => {
      const { key, callers = GATEWAY_CALLER } = query;
      if (entries.get(key)) await recount.check(findBound, entries.clear);
      if (!entries.get(key)) await computeOnce(query);
      const entry = entries.get(key);
      if (entry) {
        const known = entry as CachedValue<Value>;
        await replicas.reach(entry.settledAt);
        const read = () => log.readCurrent(() => readNewer(known));
        const found = isHeavy(known.value)
          ? await limiter.run(callers, (turn) => turn(read))
          : await read();
        const epoch = replicas.current() ? await log.recentEpoch() : found.mark;
        if (epoch === entry.epoch) {
          entries.touch(key);
          runDetached(() => refreshInBackground(query, entry));
          return found.result;
        }
        entries.clear();
      }
      return (await readUncached(query, readNewer)).result;
    },
    findWatermark: async ({ readsAuthors }) => (readsAuthors ? null : findWatermark()),
    store,
    limiter,
    log,
  };
};
