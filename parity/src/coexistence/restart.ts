import { CLONE_BY, TRANSPORTS } from './ask.js';
import type { Checks } from './checks.js';
import { type EventRow, readEvents, wrongNumbers } from './deliveries.js';
import { announced, DELIVERY_LIMIT_MS, delivered, NOTICE_LIMIT_MS } from './noticed-clones.js';
import { type Stage, WHOLE } from './stage.js';
import { startWatch } from './watch.js';

const CLONES = 8;
const KILLED_AFTER = 3;

const cloneAndKill = async (stage: Stage, names: readonly string[]): Promise<string[]> => {
  const wrong: string[] = [];
  let killed: Promise<void> | undefined;
  for (const [index, name] of names.entries()) {
    const transport = TRANSPORTS[index % TRANSPORTS.length] ?? 'REST';
    const authorization = stage.as('adminToken');
    const asked = CLONE_BY[transport](stage.gateway.url, { source: WHOLE, name, authorization });
    if (index === KILLED_AFTER) killed = stage.original().kill();
    const answer = await asked;
    if (!answer.isMade) wrong.push(`${name}: ${answer.status} ${answer.text}`);
    if (index === KILLED_AFTER) await killed;
  }
  return wrong;
};

const waitingOf = (events: readonly EventRow[]) => events.filter((event) => !event.announced);

/**
 * Takes away what earlier parts have made, so that no round is slower than the one before. Only while no original runs:
 * one that is about to note the lifecycle of a feature ends when the feature is gone.
 */
const removeFeatures = async ({ sql }: Stage, kept: readonly string[]): Promise<void> => {
  await sql.query(`delete from features where name ~ '^beside-[0-9]+-' and not (name = any($1))`, [
    kept,
  ]);
};

/**
 * The original is killed while the gateway clones. What it had announced but not delivered is lost by its own way of
 * working, so only what waits is asked for in full.
 */
export const restart = async (stage: Stage, checks: Checks, label: string): Promise<void> => {
  const names = Array.from({ length: CLONES }, (_, index) => `${label}-${index}`);
  const refused = await cloneAndKill(stage, names);
  checks.none('the gateway clones on when the original is killed', refused);

  const later = names.slice(KILLED_AFTER + 1);
  const events = await readEvents(stage.sql, names);
  const waiting = waitingOf(events);
  const early = events.filter((event) => event.announced && later.includes(event.feature_name));
  checks.none(
    'events wait while no original runs',
    early.map(({ id, feature_name }) => `event ${id} of ${feature_name} is announced`),
  );

  await removeFeatures(stage, names);
  await stage.restart();
  const watches = {
    announced: startWatch(announced(stage), NOTICE_LIMIT_MS),
    delivered: startWatch(delivered(stage), DELIVERY_LIMIT_MS),
  };
  const awaited = new Set(waiting.map((event) => event.feature_name));
  for (const name of awaited) {
    watches.announced.expect(name, Date.now());
    watches.delivered.expect(name, Date.now());
  }
  const inTime = await watches.announced.settle();
  checks.inTime('a restarted original announces what has waited', NOTICE_LIMIT_MS, inTime);
  checks.inTime('and delivers it', DELIVERY_LIMIT_MS, await watches.delivered.settle());
  checks.none('once', await wrongNumbers(stage, waiting));
  const before = events.filter((event) => event.announced);
  const twice = before.filter((event) =>
    stage.deliveries.expected(event).some((path) => stage.deliveries.count(path, event.id) > 1),
  );
  checks.none(
    'nothing announced before is delivered again',
    twice.map(({ id, feature_name }) => `event ${id} of ${feature_name}`),
  );
};
