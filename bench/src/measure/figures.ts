import type { Contender } from '../contenders/contender.js';
import { type Load, type LoadResult, runLoad } from './load.js';
import { cpuMsOf, peakMbOf, resetPeak } from './process-usage.js';
import { median, quantile } from './statistics.js';

/** Results of a contender in one case. */
export type Figures = {
  /** Correct responses per second of each round. */
  rounds: number[];
  /** Median of the rounds. */
  perSecond: number;
  p50: number;
  p99: number;
  cpuMs: number | null;
  peakMb: number | null;
  statements: number | null;
  /** Different questions; absent if there was only one. */
  questions?: number;
  answers: number;
  wrong: number;
  failed: number;
  /** Counts of each status other than 2xx. */
  statuses: Record<string, number>;
};

/** `wrong` counts 2xx responses that are not correct. */
export type Round = LoadResult & {
  wrong: number;
  cpuMs: number | undefined;
  peakMb: number | undefined;
};

export const runRound = async (contender: Contender, load: Omit<Load, 'url'>): Promise<Round> => {
  resetPeak(contender.pid);
  const before = cpuMsOf(contender.pid);
  const result = await runLoad({ ...load, url: contender.url });
  const after = cpuMsOf(contender.pid);
  return {
    ...result,
    wrong: 0,
    cpuMs: before === undefined || after === undefined ? undefined : after - before,
    peakMb: peakMbOf(contender.pid),
  };
};

const sumOf = (values: readonly (number | undefined)[]): number | null =>
  values.reduce<number | null>(
    (sum, value) => (sum === null || value === undefined ? null : sum + value),
    0,
  );

export const figuresOf = (rounds: readonly Round[], statements: number | null): Figures => {
  const latencies = rounds.flatMap((round) => round.latencies);
  const cpuMs = sumOf(rounds.map((round) => round.cpuMs));
  const peaks = rounds.map((round) => round.peakMb).filter((peak) => peak !== undefined);
  const perSecond = rounds.map((round) =>
    round.seconds > 0 ? Math.max(0, round.latencies.length - round.wrong) / round.seconds : 0,
  );
  return {
    rounds: perSecond,
    perSecond: median(perSecond),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpuMs: cpuMs === null || latencies.length === 0 ? null : cpuMs / latencies.length,
    peakMb: peaks.length > 0 ? Math.max(...peaks) : null,
    statements,
    answers: latencies.length,
    wrong: sumOf(rounds.map((round) => round.wrong)) ?? 0,
    failed: sumOf(rounds.map((round) => round.failed)) ?? 0,
    statuses: rounds.reduce<Record<string, number>>((sums, { statuses }) => {
      for (const [status, count] of Object.entries(statuses)) {
        sums[status] = (sums[status] ?? 0) + count;
      }
      return sums;
    }, {}),
  };
};
