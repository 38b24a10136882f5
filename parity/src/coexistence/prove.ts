import type { Check, PartContext } from '../part.js';
import type { FilledDatabase } from '../world/filled-database.js';
import type { Sink } from '../world/integrations.js';
import { authority, maintenance } from './authority.js';
import { type Checks, createChecks } from './checks.js';
import { eventRows } from './event-rows.js';
import { noticedClones } from './noticed-clones.js';
import { noticedHere } from './noticed-here.js';
import { createRaceFigures, judgeRaces, type RaceFigures, races } from './races.js';
import { restart } from './restart.js';
import { type Stage, startStage } from './stage.js';

const runRound = async (
  stage: Stage,
  checks: Checks,
  figures: RaceFigures,
  round: number,
): Promise<void> => {
  const label = `beside-${round}`;
  await noticedHere(stage, checks, `${label}-here`);
  await noticedClones(stage, checks, { label: `${label}-noticed`, round });
  await races(stage, checks, figures, `${label}-race`);
  await eventRows(stage, checks, `${label}-rows`);
  await authority(stage, checks, `${label}-authority`);
  await maintenance(stage, checks, `${label}-maintenance`);
  // Last, because the original may remember for a minute that it was in maintenance mode.
  await restart(stage, checks, `${label}-restart`);
};

/** Proves it on a database that is filled already; its integrations deliver to the sink. */
export const proveCoexistence = async (
  { version, times, progress, gateway }: PartContext,
  filled: FilledDatabase,
  sink: Sink,
): Promise<Check[]> => {
  progress.tell(`${version}: Starting the original and the gateway on one database`);
  const stage = await startStage(version, filled, sink, gateway);
  const checks = createChecks();
  const figures = createRaceFigures();
  try {
    for (let round = 1; round <= times; round++) {
      await runRound(stage, checks, figures, round);
      progress.step(round, times, `${version} beside each other`);
    }
    judgeRaces(checks, figures);
    checks.none('in all rounds together no event is delivered twice', stage.deliveries.doubled());
    return checks.list();
  } catch (error) {
    const log = stage.original().log().slice(-2_000);
    throw new Error(`a round broke off; the original wrote:\n${log}`, { cause: error });
  } finally {
    await stage.stop();
  }
};
