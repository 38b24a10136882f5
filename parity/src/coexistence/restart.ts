import type { Checks } from './checks.js';
import { announced, DELIVERY_LIMIT_MS, delivered, NOTICE_LIMIT_MS } from './clone-propagation.js';
import { type EventRow, readEvents, wrongNumbers } from './deliveries.js';
import { CLONE_BY, TRANSPORTS } from './requests.js';
import { FULL_SOURCE, type Stage } from './stage.js';
import { startWatch } from './watch.js';

const CLONES = 8;
const KILLED_AFTER = 3;

const cloneAndKill = async (stage: Stage, names: readonly string[]): Promise<string[]> => {
  const wrong: string[] = [];
  let killed: Promise<void> | undefined;
  for (const [index, name] of names.entries()) {
    const transport = TRANSPORTS[index % TRANSPORTS.length] ?? 'REST';
    const authorization = stage.as('adminToken');
    const sent = CLONE_BY[transport](stage.gateway.url, {
      source: FULL_SOURCE,
      name,
      authorization,
    });
    if (index === KILLED_AFTER) killed = stage.upstream().kill();
    const response = await sent;
    if (!response.isCreated) wrong.push(`${name}: ${response.status} ${response.text}`);
    if (index === KILLED_AFTER) await killed;
  }
  return wrong;
};

const waitingOf = (events: readonly EventRow[]) => events.filter((event) => !event.announced);

/**
 * Deletes the features of earlier rounds, so that rounds don't become slower. Only while upstream is stopped: it exits
 * if a feature is deleted while it records its lifecycle.
 */
const removeFeatures = async ({ sql }: Stage, keep: readonly string[]): Promise<void> => {
  await sql.query(`delete from features where name ~ '^beside-[0-9]+-' and not (name = any($1))`, [
    keep,
  ]);
};

/**
 * Kills upstream while the gateway clones. Events that upstream announced but did not deliver are lost by its design,
 * so only events that are still waiting must be delivered.
 */
export const restart = async (stage: Stage, checks: Checks, label: string): Promise<void> => {
  const names = Array.from({ length: CLONES }, (_, index) => `${label}-${index}`);
  const rejected = await cloneAndKill(stage, names);
  checks.none('the gateway continues to clone when upstream is killed', rejected);

  const later = names.slice(KILLED_AFTER + 1);
  const events = await readEvents(stage.sql, names);
  const pending = waitingOf(events);
  const early = events.filter((event) => event.announced && later.includes(event.feature_name));
  checks.none(
    'events wait while upstream is down',
    early.map(({ id, feature_name }) => `event ${id} of ${feature_name} is announced`),
  );

  await removeFeatures(stage, names);
  await stage.restart();
  const watches = {
    announced: startWatch(announced(stage), NOTICE_LIMIT_MS),
    delivered: startWatch(delivered(stage), DELIVERY_LIMIT_MS),
  };
  const awaited = new Set(pending.map((event) => event.feature_name));
  for (const name of awaited) {
    watches.announced.expect(name, Date.now());
    watches.delivered.expect(name, Date.now());
  }
  const inTime = await watches.announced.settle();
  checks.inTime('a restarted upstream announces waiting events', NOTICE_LIMIT_MS, inTime);
  checks.inTime('and delivers them', DELIVERY_LIMIT_MS, await watches.delivered.settle());
  checks.none('and delivers each of them once', await wrongNumbers(stage, pending));
  const before = events.filter((event) => event.announced);
  const twice = before.filter((event) =>
    stage.deliveries.expected(event).some((path) => stage.deliveries.count(path, event.id) > 1),
  );
  checks.none(
    'events announced before the restart are not delivered again',
    twice.map(({ id, feature_name }) => `event ${id} of ${feature_name}`),
  );
};
