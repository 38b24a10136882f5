import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from '../part.js';
import { createChance } from '../permissions/chance.js';
import { checkChanges, checkComparisons, checkTimelines, type Snapshot } from './check-changes.js';
import { compareState } from './compare-states.js';
import { createFeature, FEATURES, runOperation } from './operations.js';
import { queryAsOf } from './queries.js';
import { readStates } from './read-states.js';
import { type Stage, startStage } from './stage.js';
import { createTally } from './tally.js';

/** Timestamps have millisecond precision, and a state includes all events of its millisecond. */
const APART_MS = 4;

const recordSnapshot = async ({ sql }: Stage): Promise<Snapshot> => {
  const features = await readStates(sql);
  const time = new Date().toISOString();
  await delay(APART_MS);
  return { time, features };
};

const segmentIdsIn = async ({ sql }: Stage): Promise<number[]> => {
  const rows = await sql.query<{ id: number }>('select id from segments order by id');
  return rows.map(({ id }) => id);
};

/** Runs random operations, and records the tables after each one that upstream accepted. */
const makeHistory = async (
  stage: Stage,
  { seed, count, onStep }: { seed: number; count: number; onStep: (done: number) => void },
): Promise<Snapshot[]> => {
  const chance = createChance(seed);
  const snapshots = [await recordSnapshot(stage)];
  for (let step = 1, tries = 0; step <= count && tries < 20 * count; tries += 1) {
    const features = snapshots.at(-1)?.features ?? new Map();
    const world = { stage, chance, features, segmentIds: await segmentIdsIn(stage), step };
    if (!(await runOperation(world))) continue;
    snapshots.push(await recordSnapshot(stage));
    onStep(step);
    step += 1;
  }
  // Only features that exist have a history in the graph.
  for (const name of FEATURES) await createFeature(stage, name);
  snapshots.push(await recordSnapshot(stage));
  return snapshots;
};

/** Random operations through upstream's API: every state can be read again from the event log. */
export const runHistory: Part = async (context) => {
  const { version, seed, operations, progress } = context;
  const stage = await startStage(context);
  const [states, periods, changes, comparisons] = [
    'asOf equals the tables',
    'timeline equals the tables',
    'changes lead from one state to the next',
    'compare finds what differs',
  ].map(createTally) as [
    ReturnType<typeof createTally>,
    ReturnType<typeof createTally>,
    ReturnType<typeof createTally>,
    ReturnType<typeof createTally>,
  ];
  try {
    const onStep = (done: number) => progress.step(done, operations, `${version} operations`);
    const snapshots = await makeHistory(stage, { seed, count: operations, onStep });
    const times = snapshots.map(({ time }) => time);
    const chance = createChance(seed + 1);
    for (const name of FEATURES) {
      const found = await queryAsOf(stage, name, times);
      for (const [index, { time, features }] of snapshots.entries()) {
        const actual = found[index];
        if (actual) compareState(`${name} at ${time}`, features.get(name), actual, states);
      }
      await checkTimelines(stage, name, snapshots, periods);
      await checkChanges(stage, name, snapshots, changes);
      await checkComparisons(stage, name, snapshots, chance, comparisons);
    }
  } catch (error) {
    throw new Error(
      `the history failed; output of upstream:\n${stage.upstream.log().slice(-2_000)}`,
      {
        cause: error,
      },
    );
  } finally {
    await stage.stop();
  }
  return [states, periods, changes, comparisons].map((tally) => tally.toCheck());
};
