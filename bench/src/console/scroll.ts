import type { CDPSession, Page } from '../../../test/e2e/browser/browser.js';
import { quantile } from '../measure/statistics.js';
import { FRAME_LIMIT_MS, type PageMemory, type Scroll } from './console-result.js';
import { recordFrameWork } from './frame-work.js';

/** Pixels that one turn of the wheel moves the list: five rows. */
const WHEEL_PX = 320;

/** Records the time between frames, the frames that the browser reports as long, and the rows in the page. */
const RECORD_FRAMES = `
  window.recorded = { frames: [], longFrames: [], mostRows: 0 };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.recorded.longFrames.push(duration);
  }).observe({ type: 'long-animation-frame' });
  let before;
  const record = (now) => {
    if (before !== undefined) window.recorded.frames.push(now - before);
    before = now;
    const rows = document.getElementsByClassName('event-row').length;
    window.recorded.mostRows = Math.max(window.recorded.mostRows, rows);
    window.recording = requestAnimationFrame(record);
  };
  window.recording = requestAnimationFrame(record);`;

const READ_FRAMES = 'window.recorded';
const STOP_RECORDING = 'cancelAnimationFrame(window.recording)';

type Recorded = { frames: number[]; longFrames: number[]; mostRows: number };

const lastPosition = (page: Page): Promise<number> =>
  page.evaluate(
    `Number([...document.querySelectorAll('.event-row')].at(-1)?.getAttribute('aria-posinset') ?? 0)`,
  );

/** Turns the wheel over the list until a row is shown; returns the rows that were scrolled. */
export const turnWheel = async (page: Page, row: number, pixels = WHEEL_PX): Promise<number> => {
  const from = await lastPosition(page);
  await page.locator('.event-scroller').hover();
  let at = from;
  while (at < row) {
    // Waits for the browser, so that turns do not pile up.
    for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, pixels);
    at = await lastPosition(page);
  }
  return at - from;
};

/** Rows that are scrolled once more with a trace, which itself lengthens frames. */
const TRACED_ROWS = 1_000;

/** Scrolls to a row and records every frame, then further to record the work of the page. */
export const measureScroll = async (
  page: Page,
  session: CDPSession,
  row: number,
): Promise<Scroll> => {
  await page.evaluate(RECORD_FRAMES);
  const rows = await turnWheel(page, row);
  const { frames, longFrames, mostRows } = (await page.evaluate(READ_FRAMES)) as Recorded;
  const stopTrace = await recordFrameWork(session);
  await turnWheel(page, row + TRACED_ROWS);
  const work = await stopTrace();
  await page.evaluate(STOP_RECORDING);
  return {
    rows,
    frames: frames.length,
    medianMs: quantile(frames, 0.5),
    p99Ms: quantile(frames, 0.99),
    longestMs: Math.max(...frames),
    longFrames: longFrames.filter((ms) => ms >= FRAME_LIMIT_MS).length,
    mostWorkMs: Math.max(...work),
    mostRows,
  };
};

/** Memory of the scripts and number of DOM nodes, after a garbage collection. */
export const readMemory = async (page: Page, session: CDPSession): Promise<PageMemory> => {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const metricOf = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return {
    rows: await lastPosition(page),
    heapMb: metricOf('JSHeapUsedSize') / 2 ** 20,
    nodes: metricOf('Nodes'),
  };
};
