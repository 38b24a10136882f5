import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWork, runAs } from '../../src/data/work/work.js';
import { walkLog } from '../../src/domain/events/log-scans.js';
import { createScanLimiter } from '../../src/domain/scan-limiter.js';

const of = (caller: string) => new Set([caller]);
const never = () => new Promise<never>(() => undefined);

/** Runs scans of some callers, and reports the peak number of concurrent statements, in total and per caller. */
const observe = () => {
  const running = new Map<string, number>();
  const peaks = { all: 0, perCaller: 0 };
  const order: string[] = [];
  return {
    peaks,
    order,
    statement: (caller: string, ms: number) => async () => {
      running.set(caller, (running.get(caller) ?? 0) + 1);
      order.push(caller);
      const counts = [...running.values()];
      peaks.all = Math.max(
        peaks.all,
        counts.reduce((sum, count) => sum + count, 0),
      );
      peaks.perCaller = Math.max(peaks.perCaller, ...counts);
      await delay(ms);
      running.set(caller, (running.get(caller) ?? 1) - 1);
    },
  };
};

test.each([
  [1, 1],
  [2, 1],
  [5, 1],
  [10, 2],
  [50, 10],
])('with a pool of %i connections, scans use at most %i', async (poolSize, max) => {
  const limiter = createScanLimiter({ poolSize });
  const { peaks, statement } = observe();
  const callers = Array.from({ length: 30 }, (_, n) => `caller ${n}`);
  await Promise.all(
    callers.map((caller) => limiter.run(of(caller), (turn) => turn(statement(caller, 10)))),
  );
  expect(peaks.all).toBe(max);
  expect(max).toBeLessThanOrEqual(Math.max(1, poolSize / 2));
});

test('one caller never uses all slots', async () => {
  const limiter = createScanLimiter({ poolSize: 10 });
  const { peaks, statement } = observe();
  await Promise.all(
    Array.from({ length: 10 }, () => limiter.run(of('one'), (turn) => turn(statement('one', 10)))),
  );
  expect(peaks.perCaller).toBe(1);
});

test('a later caller does not wait for all scans of another one', async () => {
  const limiter = createScanLimiter({ poolSize: 1 });
  const { order, statement } = observe();
  const heavy = Array.from({ length: 12 }, () =>
    limiter.run(of('greedy'), async (turn) => {
      for (let portion = 0; portion < 3; portion += 1) await turn(statement('greedy', 5));
    }),
  );
  await delay(30);
  const before = order.length;
  await limiter.run(of('modest'), (turn) => turn(statement('modest', 5)));
  expect(order.indexOf('modest')).toBeLessThanOrEqual(before + 1);
  await Promise.all(heavy);
});

test('a shared scan has the priority of its least served caller', async () => {
  const limiter = createScanLimiter({ poolSize: 1 });
  const { order, statement } = observe();
  await limiter.run(of('greedy'), (turn) => turn(statement('greedy', 50)));
  const callers = new Set(['greedy']);
  const others = Array.from({ length: 3 }, () =>
    limiter.run(of('greedy'), (turn) => turn(statement('greedy', 5))),
  );
  const shared = limiter.run(callers, (turn) => turn(statement('shared', 5)));
  callers.add('modest');
  await Promise.all([...others, shared]);
  expect(order.indexOf('shared')).toBeLessThan(order.length - 1);
});

test('the queue is limited per caller, and others can still enter it', async () => {
  const limiter = createScanLimiter({ poolSize: 1 });
  const controller = new AbortController();
  const scans = runAs(createWork(controller.signal), () =>
    Array.from({ length: 100 }, () => limiter.run(of('greedy'), (turn) => turn(() => delay(20)))),
  );
  const outcomes = Promise.allSettled(scans);
  await limiter.run(of('modest'), (turn) => turn(async () => undefined));
  controller.abort();
  const rejected = (await outcomes).filter(
    (outcome) => outcome.status === 'rejected' && outcome.reason.name === 'OverloadedError',
  );
  expect(rejected).toHaveLength(40);
});

test('the queue is limited in total', async () => {
  const limiter = createScanLimiter({ poolSize: 1 });
  const controller = new AbortController();
  const scans = runAs(createWork(controller.signal), () =>
    Array.from({ length: 601 }, (_, index) =>
      limiter.run(of(`caller ${index % 11}`), (turn) => turn(() => delay(20))),
    ),
  );
  const outcomes = Promise.allSettled(scans);
  await expect(scans[600]).rejects.toMatchObject({ name: 'OverloadedError' });
  controller.abort();
  const names = (await outcomes).map((outcome) =>
    outcome.status === 'rejected' ? outcome.reason.name : 'done',
  );
  expect(names.filter((name) => name === 'OverloadedError')).toHaveLength(1);
});

test('waiting for a slot is limited in time', async () => {
  const limiter = createScanLimiter({ poolSize: 1, waitMs: 50 });
  const busy = limiter.run(of('one'), (turn) => turn(() => delay(300)));
  await expect(
    limiter.run(of('other'), (turn) => turn(async () => undefined)),
  ).rejects.toMatchObject({ name: 'OverloadedError' });
  await busy;
});

test('a statement that never returns releases its slot', async () => {
  const limiter = createScanLimiter({ poolSize: 1, statementTimeoutMs: -1_950 });
  await expect(limiter.run(of('one'), (turn) => turn(never))).rejects.toThrow('no response');
  expect(await limiter.run(of('other'), (turn) => turn(async () => 'served'))).toBe('served');
});

test('a caller that disconnects leaves the queue, and its scan stops between portions', async () => {
  const limiter = createScanLimiter({ poolSize: 1 });
  const controller = new AbortController();
  const work = createWork(controller.signal);
  let portions = 0;
  const scan = runAs(work, () =>
    limiter.run(of('one'), (turn) =>
      walkLog(
        { first: 1, last: 10_000_000 },
        {
          turn,
          read: async () => {
            portions += 1;
            await delay(20);
            return true;
          },
        },
      ),
    ),
  );
  const waiting = runAs(work, () =>
    limiter.run(of('one'), (turn) => turn(async () => 'never begun')),
  );
  const outcomes = Promise.allSettled([scan, waiting]);
  await delay(50);
  controller.abort();
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'CancelledError' } });
  }
  const done = portions;
  expect(done).toBeGreaterThan(0);
  await delay(100);
  expect(portions).toBe(done);
});

test('a scan covers every ID once, in either direction, and stops when requested', async () => {
  const limiter = createScanLimiter();
  const walk = (newestFirst: boolean, max = Number.POSITIVE_INFINITY) =>
    limiter.run(of('one'), async (turn) => {
      const ranges: number[][] = [];
      await walkLog(
        { first: 7, last: 300_000 },
        {
          turn,
          newestFirst,
          read: async ({ values }) => {
            ranges.push(values as number[]);
            return ranges.length < max;
          },
        },
      );
      return ranges;
    });
  for (const newestFirst of [false, true]) {
    const ranges = await walk(newestFirst);
    const inOrder = newestFirst ? ranges.toReversed() : ranges;
    expect(inOrder[0]?.[0]).toBe(7);
    expect(inOrder.at(-1)?.[1]).toBe(300_000);
    for (const [index, [first]] of inOrder.entries()) {
      if (index > 0) expect(first).toBe((inOrder[index - 1]?.[1] ?? 0) + 1);
    }
    expect(await walk(newestFirst, 2)).toHaveLength(2);
  }
});
