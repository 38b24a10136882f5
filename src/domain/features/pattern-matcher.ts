import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { OverloadedError } from '../errors.js';
import { createPatternProcess, NO_RESULT, type PatternResult } from './pattern-process.js';

export type { PatternResult } from './pattern-process.js';

/** CPU time of a first attempt; enough for any pattern written in good faith. */
const QUICK_LIMIT_MS = 100;
/** CPU time after which matching is aborted. */
const LIMIT_MS = 1_000;
/** Maximum number of names waiting for one pattern, and in total. */
const MAX_WAITING_PER_PATTERN = 100;
const MAX_WAITING = 400;
const MAX_CACHED_PATTERNS = 1_000;
const PATTERN_TTL_MS = 60_000;

type Job = {
  source: string;
  text: string;
  result: Promise<PatternResult>;
  resolve: (result: PatternResult) => void;
  reject: (error: unknown) => void;
};

const createJob = (source: string, text: string): Job => {
  let settle: Pick<Job, 'resolve' | 'reject'> | undefined;
  const result = new Promise<PatternResult>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { source, text, result, ...(settle as Pick<Job, 'resolve' | 'reject'>) };
};

type Result = Awaited<ReturnType<ReturnType<typeof createPatternProcess>['match']>>;

const tooManyWaiting = () =>
  new OverloadedError(
    'Too many names are queued for matching against naming patterns. Retry later.',
  );
const noResult = () =>
  new OverloadedError('The naming pattern of the project could not be checked. Retry later.');

/** A set of patterns, stored as hashes because patterns can be long; evicts the least recently added. */
const createPatternCache = () => {
  const known = new LRUCache<string, true>({ max: MAX_CACHED_PATTERNS, ttl: PATTERN_TTL_MS });
  const hashOf = (source: string) => createHash('sha256').update(source).digest('base64');
  return {
    has: (source: string) => known.peek(hashOf(source)) === true,
    add: (source: string) => {
      known.set(hashOf(source), true);
    },
    delete: (source: string) => {
      known.delete(hashOf(source));
    },
  };
};

/** Job queue of one process; patterns take turns. */
const createLane = (
  limitMs: number,
  isFirst: (source: string) => boolean,
  onResult: (job: Job, result: Result) => void,
) => {
  const child = createPatternProcess();
  const waiting = new Map<string, Job[]>();
  let isBusy = false;

  /** From the pattern that has waited longest, known quick ones first. */
  const next = (): Job | undefined => {
    const sources = [...waiting.keys()];
    const source = sources.find(isFirst) ?? sources[0];
    if (source === undefined) return undefined;
    const [job, ...rest] = waiting.get(source) ?? [];
    waiting.delete(source);
    if (rest.length > 0) waiting.set(source, rest);
    return job;
  };

  const work = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (let job = next(); job; job = next()) {
      const { source, text } = job;
      let result = await child.match(source, text, limitMs);
      // The process may have been killed from outside; retry once.
      if (result === NO_RESULT) result = await child.match(source, text, limitMs);
      onResult(job, result);
    }
    isBusy = false;
  };

  return {
    add: (job: Job) => {
      waiting.set(job.source, [...(waiting.get(job.source) ?? []), job]);
      void work();
    },
    /** Removes and returns all jobs of a pattern. */
    take: (source: string): Job[] => {
      const jobs = waiting.get(source) ?? [];
      waiting.delete(source);
      return jobs;
    },
  };
};

/**
 * Matches names against naming patterns in two processes: one for quick attempts, where known quick patterns go
 * first, and one for patterns that took too long there. So a bad pattern delays other projects by at most one quick
 * attempt.
 */
export const createPatternMatcher = () => {
  const jobs = new Map<string, Job>();
  const tooSlow = createPatternCache();
  const slow = createPatternCache();
  const quick = createPatternCache();
  const keyOf = ({ source, text }: Pick<Job, 'source' | 'text'>) => JSON.stringify([source, text]);

  const end = (job: Job, result: Result) => {
    jobs.delete(keyOf(job));
    if (result === NO_RESULT) job.reject(noResult());
    else job.resolve(result);
  };

  const slowLane = createLane(
    LIMIT_MS,
    () => false,
    (job, result) => {
      end(job, result);
      if (result !== 'too slow') return;
      // The pattern is not tried again for a while, nor are the names that wait for it.
      tooSlow.add(job.source);
      for (const other of slowLane.take(job.source)) end(other, result);
    },
  );
  const quickLane = createLane(QUICK_LIMIT_MS, quick.has, (job, result) => {
    if (result !== 'too slow') {
      if (result !== NO_RESULT) quick.add(job.source);
      return end(job, result);
    }
    quick.delete(job.source);
    slow.add(job.source);
    for (const moved of [job, ...quickLane.take(job.source)]) slowLane.add(moved);
  });

  const isCrowded = (source: string) =>
    jobs.size >= MAX_WAITING ||
    [...jobs.values()].filter((job) => job.source === source).length >= MAX_WAITING_PER_PATTERN;

  return (source: string, text: string): Promise<PatternResult> => {
    if (tooSlow.has(source)) return Promise.resolve('too slow');
    const known = jobs.get(keyOf({ source, text }));
    if (known) return known.result;
    if (isCrowded(source)) return Promise.reject(tooManyWaiting());

    const job = createJob(source, text);
    jobs.set(keyOf(job), job);
    (slow.has(source) ? slowLane : quickLane).add(job);
    return job.result;
  };
};

/** Whether a text matches a regular expression; takes at most a second of CPU time and blocks nothing else. */
export const matchPattern: ReturnType<typeof createPatternMatcher> = createPatternMatcher();
