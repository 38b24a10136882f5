import { type Comparison, createComparison, type Outcome } from './comparison.js';
import type { Databases } from './databases.js';
import { runGenerated } from './generated/run-generated.js';
import { type Accepted, acceptedIn, checkParameters } from './parameters.js';
import type { Progress } from './progress.js';
import { emptyTally, type Failure, failureOf, type VersionReport } from './report.js';
import type { Operation, ParityRequest } from './request.js';
import { handWritten } from './requests/index.js';
import type { Scenario } from './requests/scenario.js';
import { createSecondPass } from './second-pass.js';
import { type Sides, startSides } from './sides.js';

export type RunOptions = {
  seed: number;
  /** Number of generated requests. */
  generated: number;
  only?: Operation;
  /** Compiled program of the gateway. Default: that of this repository. */
  gateway?: string;
};

const runScenario = async (
  sides: Sides,
  comparison: Comparison,
  scenario: Scenario,
  compare: (request: ParityRequest, what: string) => Promise<void>,
  fail: (failure: Failure) => void,
): Promise<void> => {
  await scenario.setUp?.(sides);
  try {
    if (scenario.setUp) await comparison.begin();
    for (const request of scenario.requests) await compare(request, scenario.title);
  } finally {
    await scenario.tearDown?.(sides);
  }
  if (!scenario.setUp) return;
  const difference = await comparison.settleDown();
  if (difference) fail({ what: scenario.title, difference });
};

/** Compares one version of upstream with the gateway, in both directions. */
export const runVersion = async (
  databases: Databases,
  version: string,
  { seed, generated, only, gateway }: RunOptions,
  progress: Progress,
): Promise<VersionReport> => {
  const started = Date.now();
  const tally = emptyTally();
  const met: Record<string, number> = {};
  const failures: Failure[] = [];
  const accepted: Accepted[] = [];
  const times: Record<string, number> = {};
  let handWrittenCount = 0;

  const timed = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    const startedAt = Date.now();
    const result = await work();
    times[what] = (Date.now() - startedAt) / 1000;
    return result;
  };

  const record = (sides: Sides, what: string, outcome: Outcome) => {
    tally[outcome.request.operation][outcome.kind]++;
    for (const id of outcome.met) met[id] = (met[id] ?? 0) + 1;
    if (outcome.kind === 'failed') failures.push(failureOf(sides, what, outcome));
  };

  const onProgress = (message: string) => progress.log(`${version}: ${message}`);
  const sides = await timed('start', () =>
    startSides(databases, version, {
      onProgress,
      ...(gateway !== undefined && { gateway: { program: gateway } }),
    }),
  );
  let generatedCount = 0;
  try {
    const comparison = await createComparison(sides);
    const secondPass = createSecondPass(sides);
    comparison.onKept(secondPass.look);

    const scenarios = handWritten(sides.world).map((scenario) => ({
      ...scenario,
      get requests() {
        return only
          ? scenario.requests.filter(({ operation }) => operation === only)
          : scenario.requests;
      },
    }));
    const total = scenarios.reduce((sum, { requests }) => sum + requests.length, 0);
    for (const scenario of scenarios) {
      await timed(scenario.title, () =>
        runScenario(
          sides,
          comparison,
          scenario,
          async (request, what) => {
            const outcome = await comparison.sendRequest(request);
            accepted.push(...acceptedIn(outcome));
            record(sides, what, outcome);
            progress.step(
              ++handWrittenCount,
              Math.max(total, handWrittenCount),
              `${version} hand-written`,
            );
          },
          (failure) => failures.push(failure),
        ),
      );
    }

    if (!only) {
      onProgress('Checking for parameters that no request uses');
      failures.push(...(await timed('parameters', () => checkParameters(sides, accepted))));
    }

    await timed('generated', () =>
      runGenerated(
        comparison,
        sides.world,
        { seed, count: generated, only },
        {
          onOutcome: (outcome) => {
            if (outcome.kind !== 'failed') record(sides, 'generated', outcome);
            progress.step(
              ++generatedCount,
              Math.max(generated, generatedCount),
              `${version} generated`,
            );
          },
          onFailure: (outcome, what) => record(sides, what, outcome),
        },
      ),
    );

    onProgress('Reading rows of the gateway with upstream');
    if (!only || only === 'clone') {
      failures.push(...(await timed('second pass', secondPass.run)));
    }
  } finally {
    await sides.stop();
    progress.end();
  }

  return {
    version,
    handWritten: handWrittenCount,
    generated: generatedCount,
    seed,
    seconds: Math.round((Date.now() - started) / 1000),
    tally,
    met,
    failures,
    times,
  };
};
