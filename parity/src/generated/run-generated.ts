import fc from 'fast-check';
import type { Comparison, Outcome } from '../comparison.js';
import type { Operation, ParityRequest } from '../request.js';
import type { World } from '../world/world.js';
import { createArbitraries } from './arbitraries.js';

/** Maximum number of attempts to simplify a failure. */
const MAX_SHRINKS = 150;
/** Number of failures after which the run stops. */
const MAX_FAILURES = 25;

const SHARES: Record<Operation, number> = {
  'search events': 0.4,
  'health report': 0.1,
  'integration events': 0.15,
  clone: 0.35,
};

export type GeneratedListener = {
  onOutcome(outcome: Outcome): void;
  /** The simplest request found that still fails. */
  onFailure(outcome: Outcome, what: string): void;
};

type GeneratedRun = { runs: number; failed?: { outcome: Outcome; path: string } };

/** Runs until the first failure, then shrinks it. */
const runUntilFailure = async (
  comparison: Comparison,
  requests: fc.Arbitrary<ParityRequest>,
  seed: number,
  numRuns: number,
  onOutcome: (outcome: Outcome) => void,
): Promise<GeneratedRun> => {
  let runs = 0;
  let shrinks = 0;
  let last: Outcome | undefined;
  const property = fc.asyncProperty(requests, async (request) => {
    if (last && ++shrinks > MAX_SHRINKS) return true;
    const outcome = await comparison.sendRequest(request);
    if (!last) {
      runs++;
      onOutcome(outcome);
    }
    if (outcome.kind === 'failed') last = outcome;
    return outcome.kind !== 'failed';
  });
  const { counterexamplePath } = await fc.check(property, { seed, numRuns });
  return { runs, ...(last && { failed: { outcome: last, path: counterexamplePath ?? '' } }) };
};

/** Generated requests over parameters, callers, paths, headers and bodies. The seed determines them. */
export const runGenerated = async (
  comparison: Comparison,
  world: World,
  { seed, count, only }: { seed: number; count: number; only?: Operation | undefined },
  { onOutcome, onFailure }: GeneratedListener,
): Promise<void> => {
  const arbitraries = createArbitraries(world);
  const operations = (Object.keys(SHARES) as Operation[]).filter((name) => !only || name === only);
  for (const operation of operations) {
    const wanted = only ? count : Math.round(count * SHARES[operation]);
    let failures = 0;
    for (let done = 0, round = 0; done < wanted && failures < MAX_FAILURES; round++) {
      const roundSeed = seed + round;
      const result = await runUntilFailure(comparison, arbitraries[operation], roundSeed, wanted - done, onOutcome);
      done += result.runs;
      if (!result.failed) continue;
      failures++;
      onFailure(result.failed.outcome, `generated, seed ${roundSeed}, path ${result.failed.path}`);
    }
  }
};
