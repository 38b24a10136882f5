import type { CDPSession } from '../../../test/e2e/browser/browser.js';

type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Start and CPU time, in microseconds. */
  ts: number;
  tdur?: number;
};

const CATEGORIES = ['toplevel', 'devtools.timeline'];
const TASK = 'RunTask';
const FRAME = 'FireAnimationFrame';

/** CPU time of the page's main thread between consecutive animation frames, in milliseconds. */
const workOf = (events: readonly TraceEvent[]): number[] => {
  const first = events.find(({ name }) => name === FRAME);
  if (!first) return [];
  const own = events
    .filter(({ pid, tid }) => pid === first.pid && tid === first.tid)
    .sort((one, other) => one.ts - other.ts);
  const work: number[] = [];
  for (const { name, ph, tdur = 0 } of own) {
    if (name === FRAME) work.push(0);
    const last = work.length - 1;
    if (ph === 'X' && name.endsWith(TASK) && last >= 0)
      work[last] = (work[last] ?? 0) + tdur / 1_000;
  }
  return work;
};

/** Records the work of each frame until stopped. Other processes slow down frames, but do not add to it. */
export const recordFrameWork = async (session: CDPSession): Promise<() => Promise<number[]>> => {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }) => events.push(...(value as TraceEvent[]));
  session.on('Tracing.dataCollected', collect);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES, excludedCategories: ['*'] },
  });
  return async () => {
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    await complete;
    session.off('Tracing.dataCollected', collect);
    return workOf(events);
  };
};
