const CLEAR = '\r\u001b[2K';
const WIDTH = 24;
/** Update intervals for a terminal and for a log. */
const INTERACTIVE_MS = 200;
const LOG_MS = 10_000;

const number = new Intl.NumberFormat('en-GB');

/** `2 h 05 min` */
export const formatDuration = (seconds: number): string => {
  const totalSeconds = Math.max(0, Math.round(seconds));
  if (totalSeconds < 60) return `${totalSeconds} s`;
  const minutes = Math.floor(totalSeconds / 60);
  if (minutes < 60) return `${minutes} min ${String(totalSeconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
};

/** `0.5 s` */
export const formatDelay = (ms: number): string => `${ms / 1000} s`;

export type Progress = {
  /** Events written so far, including those of an earlier run. */
  count: number;
  /** Total number of events. Null if unknown. */
  total: number | null;
  /** Events written in this run. */
  fresh: number;
  seconds: number;
};

/** `[████░░░░]  45 %  450 of 1,000 events, 90/s, 6 s left` */
export const progressLine = ({ count, total, fresh, seconds }: Progress): string => {
  const rate = fresh > 0 && seconds > 0 ? fresh / seconds : null;
  const speed = rate === null ? '' : `, ${number.format(Math.round(rate))}/s`;
  if (total === null) return `${number.format(count)} events${speed}`;

  const share = total === 0 ? 1 : Math.min(1, count / total);
  const full = Math.round(share * WIDTH);
  const bar = `[${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}]`;
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  const remaining =
    rate === null || share === 1 ? '' : `, ${formatDuration((total - count) / rate)} left`;
  return `${bar} ${percent} %  ${number.format(count)} of ${number.format(total)} events${speed}${remaining}`;
};

export type ProgressReporter = {
  onStart: (begin: { count: number; total: number | null }) => void;
  onPage: (count: number) => void;
  /** Prints a message between or after the progress lines. */
  printLine: (sentence: string) => void;
};

/** Reports export progress: on a terminal in one line that is overwritten, else periodically in a new line. */
export const createProgressReporter = ({
  writeError,
  isInteractive,
  isQuiet = false,
  now = () => performance.now(),
}: {
  writeError: (text: string) => void;
  isInteractive: boolean;
  isQuiet?: boolean;
  now?: () => number;
}): ProgressReporter => {
  let started = { count: 0, total: null as number | null };
  let startedAt = now();
  let reportedAt = startedAt;
  let isLineOpen = false;

  return {
    onStart: (begin) => {
      started = begin;
      startedAt = now();
      reportedAt = startedAt;
    },
    onPage: (count) => {
      if (isQuiet || now() - reportedAt < (isInteractive ? INTERACTIVE_MS : LOG_MS)) return;
      reportedAt = now();
      const line = progressLine({
        count,
        total: started.total,
        fresh: count - started.count,
        seconds: (reportedAt - startedAt) / 1000,
      });
      writeError(isInteractive ? `${CLEAR}${line}` : `${line}\n`);
      isLineOpen = isInteractive;
    },
    printLine: (sentence) => {
      writeError(`${isLineOpen ? CLEAR : ''}${sentence}\n`);
      isLineOpen = false;
    },
  };
};
