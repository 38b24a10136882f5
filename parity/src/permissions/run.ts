import type { Part, PartContext } from '../part.js';
import { createChance } from './chance.js';
import { toChecks } from './checks.js';
import { compareDecisions, compareGraph, type Mismatch } from './compare-decisions.js';
import type { Case } from './exceptions.js';
import { queryGraph } from './graph.js';
import { makeWorld } from './make-world.js';
import { type Clone, chooseOperations, type Operation } from './operations.js';
import { type Decision, sendRequest } from './send.js';
import { type Stage, startStage } from './stage.js';
import { createTally, type Tally } from './tally.js';
import { visibleTo } from './visibility.js';
import type { Caller, World } from './world.js';
import { clearWorld, writeWorld } from './write-world.js';

const WORLDS = 4;
const AT_ONCE = 6;

/** Processes the items concurrently. */
const forEach = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>) => {
  const remaining = [...items];
  const worker = async () => {
    for (let item = remaining.shift(); item !== undefined; item = remaining.shift())
      await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
};

/** Without private projects, the paid rules have no effect that the gateway could detect. */
const isLimiting = ({ projects }: World) => projects.some(({ mode }) => mode === 'private');

type Attempt = { caller: Caller; operation: Operation; index: number };

const countByProject = async ({ sql }: Stage, { events }: World) => {
  const rows = await sql.query<{ project: string | null; count: number }>(
    'select project, count(*)::int as count from events where id < $1 group by project',
    [Math.min(...events.map(({ id }) => id))],
  );
  return new Map(rows.map(({ project, count }) => [project, count]));
};

/** The same clone from an equal source in the target project. */
const twinOf = ({ sources }: World, { target, source }: Clone): Clone | undefined => {
  const twin = sources.find(({ project, kind }) => project === target && kind === source.kind);
  return twin && source.project !== null && source.project !== target
    ? { kind: 'clone', target, source: twin }
    : undefined;
};

const withinWorld = (decision: Decision, { events, deliveries }: World): Decision => {
  if (!decision.ids) return decision;
  const own = new Set([...events, ...deliveries].map(({ id }) => id));
  return { ...decision, ids: decision.ids.filter((id) => own.has(id)) };
};

const runWorld = async (
  stage: Stage,
  world: World,
  { seed, major }: { seed: number; major: number },
  tally: Tally,
  onMismatch: (mismatch: Mismatch | undefined) => void,
): Promise<void> => {
  await clearWorld(stage.sql);
  await writeWorld(stage.sql, world);
  const older = await countByProject(stage, world);

  const attempts = world.callers.map((caller, index) => ({
    caller,
    ...chooseOperations(createChance(seed * 7_919 + index), world),
  }));
  const reads = attempts.flatMap(({ caller, reads: operations }) =>
    operations.map((operation, index): Attempt => ({ caller, operation, index })),
  );
  const clones = attempts
    .flatMap(({ caller, clones: operations }) =>
      operations.map((operation) => ({ caller, operation })),
    )
    .map((attempt, index): Attempt => ({ ...attempt, index }));

  const attempt = async ({ caller, operation, index }: Attempt) => {
    const on = async (url: string, by: string, sent: Operation = operation) =>
      withinWorld(
        await sendRequest(url, caller, sent, `${world.label}-copy-${index}-${by}`),
        world,
      );
    // Before the clone, so that the name is still free in the plan.
    const name = `${world.label}-copy-${index}-gateway`;
    const graph = await queryGraph(stage.gateway.url, caller, operation, name);
    const [unleash, enterprise, gateway] = await Promise.all([
      on(stage.unleash.url, 'unleash'),
      on(stage.enterprise.url, 'enterprise'),
      on(stage.gateway.url, 'gateway'),
    ]);
    const twin = operation.kind === 'clone' ? twinOf(world, operation) : undefined;
    const testCase: Case = {
      major,
      world,
      caller,
      operation,
      visible: visibleTo(caller.user, world, major),
      older,
      unleash,
      enterprise,
      ...(twin && major >= 8 && { twin: await on(stage.enterprise.url, 'twin', twin) }),
    };
    tally.add(operation.kind, { unleash, enterprise, gateway });
    const { met, mismatch } = compareDecisions(testCase, 'unleash', unleash, gateway);
    tally.meet(met);
    onMismatch(mismatch);
    if (isLimiting(world) || operation.kind !== 'search events') {
      onMismatch(compareDecisions(testCase, 'enterprise', enterprise, gateway).mismatch);
    }
    onMismatch(compareGraph(testCase, gateway, withinWorld(graph, world)));
  };

  // Reads run first, because clones add events.
  await forEach(reads, attempt);
  await forEach(clones, attempt);
};

const sharesNames = async ({ sql }: Stage): Promise<boolean> => {
  const { found } = await sql.one<{ found: boolean }>(
    `select not exists (select from pg_constraint where conname = 'unique_name') as found`,
  );
  return found;
};

/** Random worlds of users, groups, roles and projects: the gateway allows and rejects the same as Unleash. */
export const runPermissions: Part = async (context: PartContext) => {
  const { version, seed, progress } = context;
  const major = Number.parseInt(version, 10);
  const tally = createTally();
  const mismatches: Mismatch[] = [];
  const stage = await startStage(context);
  try {
    const areShared = await sharesNames(stage);
    for (let index = 0; index < WORLDS; index++) {
      progress.step(index, WORLDS, `${version} permission worlds`);
      const world = makeWorld(seed, index, areShared);
      await runWorld(stage, world, { seed: seed + index, major }, tally, (mismatch) => {
        if (mismatch) mismatches.push(mismatch);
      });
    }
  } finally {
    await stage.stop();
  }
  return toChecks(tally, major, mismatches);
};
