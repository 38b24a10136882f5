import type { Check, PartContext } from '../part.js';
import type { FilledDatabase } from '../world/filled-database.js';
import type { Sink } from '../world/integrations.js';
import { authority, maintenance } from './authority.js';
import { type Checks, createChecks } from './checks.js';
import { clonePropagation } from './clone-propagation.js';
import { eventRows } from './event-rows.js';
import { checkRaces, createRaceFigures, type RaceFigures, races } from './races.js';
import { restart } from './restart.js';
import { type Stage, startStage } from './stage.js';
import { upstreamChanges } from './upstream-changes.js';

const runRound = async (
  stage: Stage,
  checks: Checks,
  figures: RaceFigures,
  round: number,
): Promise<void> => {
  const label = `beside-${round}`;
  await upstreamChanges(stage, checks, `${label}-here`);
  await clonePropagation(stage, checks, { label: `${label}-noticed`, round });
  await races(stage, checks, figures, `${label}-race`);
  await eventRows(stage, checks, `${label}-rows`);
  await authority(stage, checks, `${label}-authority`);
  await maintenance(stage, checks, `${label}-maintenance`);
  // Last, because upstream may cache maintenance mode for a minute.
  await restart(stage, checks, `${label}-restart`);
};

/** Runs all rounds on a filled database whose integrations deliver to the sink. */
export const runRounds = async (
  { version, times, progress, gateway }: PartContext,
  filled: FilledDatabase,
  sink: Sink,
): Promise<Check[]> => {
  progress.log(`${version}: Starting upstream and the gateway on one database`);
  const stage = await startStage(version, filled, sink, gateway);
  const checks = createChecks();
  const figures = createRaceFigures();
  try {
    for (let round = 1; round <= times; round++) {
      await runRound(stage, checks, figures, round);
      progress.step(round, times, `${version} coexistence`);
    }
    checkRaces(checks, figures);
    checks.none('no event is delivered twice in any round', stage.deliveries.doubled());
    return checks.list();
  } catch (error) {
    const log = stage.upstream().log().slice(-2_000);
    throw new Error(`a round failed; output of upstream:\n${log}`, { cause: error });
  } finally {
    await stage.stop();
  }
};
