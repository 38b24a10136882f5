const CLEAR = '\r\u001b[2K';
const WIDTH = 24;
/** Often enough for an eye, and for a log. */
const WATCHED_MS = 200;
const UNWATCHED_MS = 10_000;

const number = new Intl.NumberFormat('en-GB');

/** `2 h 05 min`: for people who wait. */
export const durationWords = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
};

/** `0.5 s`: for people who wait for the next try. */
export const pauseWords = (ms: number): string => `${ms / 1000} s`;

/** What is known while an export runs. */
export type Progress = {
  /** Events written so far, those of an earlier run included. */
  count: number;
  /** How many there are in all; null where nobody could tell. */
  total: number | null;
  /** Those of this run alone. */
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
  const left =
    rate === null || share === 1 ? '' : `, ${durationWords((total - count) / rate)} left`;
  return `${bar} ${percent} %  ${number.format(count)} of ${number.format(total)} events${speed}${left}`;
};

export type Teller = {
  onStart: (begin: { count: number; total: number | null }) => void;
  onPage: (count: number) => void;
  /** A sentence of its own, between or after the lines of progress. */
  say: (sentence: string) => void;
};

/** Tells how an export goes: in one line that changes where a person looks on, else now and then in a line of its own. */
export const createTeller = ({
  tell,
  isWatched,
  isQuiet = false,
  now = () => performance.now(),
}: {
  tell: (text: string) => void;
  isWatched: boolean;
  isQuiet?: boolean;
  now?: () => number;
}): Teller => {
  let begun = { count: 0, total: null as number | null };
  let startedAt = now();
  let toldAt = startedAt;
  let isLineOpen = false;

  return {
    onStart: (begin) => {
      begun = begin;
      startedAt = now();
      toldAt = startedAt;
    },
    onPage: (count) => {
      if (isQuiet || now() - toldAt < (isWatched ? WATCHED_MS : UNWATCHED_MS)) return;
      toldAt = now();
      const line = progressLine({
        count,
        total: begun.total,
        fresh: count - begun.count,
        seconds: (toldAt - startedAt) / 1000,
      });
      tell(isWatched ? `${CLEAR}${line}` : `${line}\n`);
      isLineOpen = isWatched;
    },
    say: (sentence) => {
      tell(`${isLineOpen ? CLEAR : ''}${sentence}\n`);
      isLineOpen = false;
    },
  };
};
