import type { Progress } from '../../../parity/src/progress.js';
import type { Store } from '../databases.js';
import type { Settings } from '../settings.js';

export type FirstView = {
  /** The first rows are painted. */
  rowsMs: number;
  /** A typed letter is shown in the search box. */
  interactiveMs: number;
  /** The exact total, the activity and the filter choices are shown. */
  completeMs: number;
};

export type Scroll = {
  rows: number;
  frames: number;
  /** Between the starts of two frames, which are multiples of the screen's 16.7 ms. */
  medianMs: number;
  p99Ms: number;
  longestMs: number;
  /** Frames that took at least `FRAME_LIMIT_MS`, according to the browser. */
  longFrames: number;
  /** The most CPU time that the page used for a frame. */
  mostWorkMs: number;
  /** The most rows that existed in the page at once. */
  mostRows: number;
};

export const FRAME_LIMIT_MS = 50;

export type PageMemory = { rows: number; heapMb: number; nodes: number };

/** One visit: a new process of the gateway and a new browser without any cache. */
export type ConsoleRound = { firstView: FirstView; scroll: Scroll };

export type ConsoleResult = {
  rounds: ConsoleRound[];
  /** After the first view and after further rows. */
  memory: PageMemory[];
};

/** `run-console.ts` */
export type RunConsole = (
  store: Store,
  settings: Settings,
  progress: Progress,
) => Promise<ConsoleResult>;

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
