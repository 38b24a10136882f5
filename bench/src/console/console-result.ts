import type { FirstView } from './first-view.js';
import { FRAME_LIMIT_MS, type PageMemory, type Scroll } from './scroll.js';

/** One visit: a new process of the gateway and a new browser without any cache. */
export type ConsoleRound = { firstView: FirstView; scroll: Scroll };

export type ConsoleResult = {
  rounds: ConsoleRound[];
  /** After the first view and after further rows. */
  memory: PageMemory[];
};

const FIRST_VIEW_LIMIT_MS = 1_500;
/** Rows of one screen, and those around it. */
const MAX_ROWS = 60;
/** A scrolled row is kept as data only. */
const MAX_KB_PER_ROW = 2;

/** Targets that a round misses. */
export const missesOfConsole = ({ rounds, memory }: ConsoleResult): string[] => {
  const interactiveMs = Math.max(...rounds.map(({ firstView }) => firstView.interactiveMs));
  const longFrames = Math.max(...rounds.map(({ scroll }) => scroll.longFrames));
  const mostRows = Math.max(...rounds.map(({ scroll }) => scroll.mostRows));
  const [first, last] = [memory[0], memory.at(-1)];
  const kbPerRow =
    first && last ? ((last.heapMb - first.heapMb) * 1_024) / (last.rows - first.rows) : Number.NaN;
  return [
    ...(interactiveMs < FIRST_VIEW_LIMIT_MS
      ? []
      : [`console: interactive after ${Math.round(interactiveMs)} ms`]),
    ...(longFrames === 0 ? [] : [`console: ${longFrames} frames of ${FRAME_LIMIT_MS} ms or more`]),
    ...(mostRows < MAX_ROWS ? [] : [`console: ${mostRows} rows in the page`]),
    ...(kbPerRow < MAX_KB_PER_ROW ? [] : [`console: ${kbPerRow.toFixed(1)} KB of memory per row`]),
  ];
};
