import { firstDifference } from '../diff.js';
import type { Checks } from './checks.js';
import { type EventRow, haveArrived, readEvents, wrongNumbers } from './deliveries.js';
import { readSnapshot, snapshotDifference } from './feature-snapshot.js';
import {
  at,
  CLONE_BY,
  cloneByRest,
  isRecord,
  listAt,
  sendGraphql,
  sendRequest,
  TRANSPORTS,
} from './requests.js';
import { createSdk, type Sdk } from './sdk.js';
import { FULL_SOURCE, type Stage } from './stage.js';
import { type Probe, startWatch, until } from './watch.js';

export const NOTICE_LIMIT_MS = 2_000;
export const DELIVERY_LIMIT_MS = 10_000;

/** An admin API token, a personal token in this version's format, and one in the oldest version's format. */
const CALLERS = ['adminToken', 'editor', 'member'];

const DELIVERED = `query Delivered($id: Int!) {
  integrationEvents(integrationId: $id, first: 100) {
    nodes { state event { eventId typeName featureName projectId createdBy stored { id } } }
  }
}`;

/** Features whose events are all announced. */
export const announced =
  ({ sql }: Stage): Probe =>
  async (names) => {
    const rows = await sql.query<{ feature_name: string }>(
      `select feature_name from events where feature_name = any($1)
       group by feature_name having bool_and(announced)`,
      [names],
    );
    return rows.map((row) => row.feature_name);
  };

/** Features whose events have all reached the integrations subscribed to them. Expects no further events. */
export const delivered = ({ sql, deliveries }: Stage): Probe => {
  const eventsOf = new Map<string, EventRow[]>();
  return async (names) => {
    const unknown = names.filter((name) => !eventsOf.has(name));
    if (unknown.length > 0) {
      const events = await readEvents(sql, unknown);
      for (const name of unknown) {
        eventsOf.set(
          name,
          events.filter((event) => event.feature_name === name),
        );
      }
    }
    return names.filter((name) => {
      const own = eventsOf.get(name) ?? [];
      return own.length > 0 && haveArrived(deliveries, own);
    });
  };
};

const inLifecycle =
  ({ sql }: Stage): Probe =>
  async (names) => {
    const rows = await sql.query<{ feature: string }>(
      `select feature from feature_lifecycles where feature = any($1)
       group by feature having array_agg(stage::text) = array['initial']`,
      [names],
    );
    return rows.map((row) => row.feature);
  };

type ClonedFeature = { name: string; caller: string };

const cloneWithGateway = async (
  stage: Stage,
  label: string,
  onCloned: (name: string, at: number) => void,
) => {
  const clones: ClonedFeature[] = [];
  const wrong: string[] = [];
  for (const caller of CALLERS) {
    for (const transport of TRANSPORTS) {
      const name = `${label}-${caller}-${transport}`;
      const request = { source: FULL_SOURCE, name, authorization: stage.as(caller) };
      const response = await CLONE_BY[transport](stage.gateway.url, request);
      if (!response.isCreated) {
        wrong.push(`${name}: ${response.status} ${response.text}`);
        continue;
      }
      clones.push({ name, caller });
      onCloned(name, response.respondedAt);
    }
  }
  return { made: clones, wrong };
};

const twinOf = (label: string, caller: string) => `${label}-${caller}-original`;

/** Clones the same source with upstream for the same callers, as a reference. */
const cloneWithUpstream = async (stage: Stage, label: string): Promise<void> => {
  const watches = [
    startWatch(inLifecycle(stage), DELIVERY_LIMIT_MS),
    startWatch(delivered(stage), DELIVERY_LIMIT_MS),
  ];
  for (const caller of CALLERS) {
    const name = twinOf(label, caller);
    const request = { source: FULL_SOURCE, name, authorization: stage.as(caller) };
    const response = await cloneByRest(stage.upstream().url, request);
    if (!response.isCreated)
      throw new Error(`upstream did not clone for ${caller}: ${response.text}`);
    for (const watch of watches) watch.expect(name, response.respondedAt);
  }
  for (const watch of watches) await watch.settle();
};

const EVENT_KEYS = [
  ['id', 'id'],
  ['type', 'type'],
  ['featureName', 'feature_name'],
  ['project', 'project'],
  ['environment', 'environment'],
  ['createdBy', 'created_by'],
  ['createdByUserId', 'created_by_user_id'],
  ['data', 'data'],
] as const;

const wrongBodies = ({ deliveries }: Stage, events: readonly EventRow[]): string[] =>
  events.flatMap((event) =>
    deliveries.expected(event).flatMap((path) => {
      const body = deliveries.body(path, event.id);
      return EVENT_KEYS.flatMap(([key, column]) => {
        const found = at(body, key) ?? null;
        const difference = firstDifference(event[column] ?? null, found, `${path} ${key}`);
        return difference ? [difference] : [];
      });
    }),
  );

/** Delivery records of the gateway that are missing or differ from the stored events. */
const missingRecords = async (stage: Stage, events: readonly EventRow[]): Promise<string[]> => {
  const id = stage.world.integrationIds[0] ?? 0;
  const data = await sendGraphql(stage.gateway.url, stage.as('adminToken'), DELIVERED, { id });
  const nodes = listAt(data, 'integrationEvents', 'nodes');
  const byEvent = new Map(nodes.map((node) => [at(node, 'event', 'eventId'), node]));
  return events
    .filter((event) => stage.deliveries.expected(event).includes('/ok'))
    .flatMap((event) => {
      const node = byEvent.get(event.id);
      const expected = {
        state: 'SUCCESS',
        event: {
          eventId: event.id,
          typeName: event.type,
          featureName: event.feature_name,
          projectId: event.project,
          createdBy: event.created_by,
          stored: { id: event.id },
        },
      };
      const difference = firstDifference(expected, node, `record of event ${event.id}`);
      return difference ? [difference] : [];
    });
};

const differenceOfRecords = async (stage: Stage): Promise<string | undefined> => {
  const path = `/api/admin/addons/${stage.world.integrationIds[0]}/events?limit=100`;
  const authorization = stage.as('adminToken');
  const [upstream, gateway] = await Promise.all([
    sendRequest(`${stage.upstream().url}${path}`, { authorization }),
    sendRequest(`${stage.gateway.url}${path}`, { authorization }),
  ]);
  return firstDifference(upstream.json, gateway.json);
};

const SERVED = ['type', 'description', 'project', 'impressionData', 'dependencies', 'variants'];

const strategiesOf = (feature: unknown, name: string) =>
  listAt(feature, 'strategies')
    .map((strategy) => (isRecord(strategy) ? { ...strategy, id: '' } : strategy))
    .map((strategy) => JSON.stringify(strategy).replaceAll(name, '<name>'))
    .sort();

const wrongServed = (sdk: Sdk, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const [source, copy] = [sdk.feature(FULL_SOURCE), sdk.feature(name)];
    const difference =
      firstDifference(
        strategiesOf(source, FULL_SOURCE),
        strategiesOf(copy, name),
        `${name} strategies`,
      ) ??
      SERVED.map((key) => firstDifference(at(source, key), at(copy, key), `${name} ${key}`)).find(
        (found) => found !== undefined,
      );
    return difference ? [difference] : [];
  });

const differentSnapshots = async (
  stage: Stage,
  label: string,
  clones: readonly ClonedFeature[],
  callersWithPages: readonly string[],
): Promise<string[]> => {
  const wrong: string[] = [];
  for (const caller of CALLERS) {
    const hasPages = callersWithPages.includes(caller);
    const upstream = await readSnapshot(stage, twinOf(label, caller), hasPages);
    for (const { name } of clones.filter((copy) => copy.caller === caller)) {
      const found = snapshotDifference(name, upstream, await readSnapshot(stage, name, hasPages));
      if (found) wrong.push(found);
    }
  }
  return wrong;
};

const checkRecords = async (stage: Stage, checks: Checks, events: readonly EventRow[]) => {
  let missing: string[] = [];
  await until(DELIVERY_LIMIT_MS, async () => {
    missing = await missingRecords(stage, events);
    return missing.length === 0 ? true : undefined;
  });
  checks.none('integrationEvents of the gateway returns the deliveries', missing);
  let difference: string | undefined;
  await until(DELIVERY_LIMIT_MS, async () => {
    difference = await differenceOfRecords(stage);
    return difference === undefined ? true : undefined;
  });
  checks.add('both sides return the same delivery records over REST', difference);
};

/** Upstream notices clones of the gateway, over both transports and by several callers, and shows them like its own. */
export const clonePropagation = async (
  stage: Stage,
  checks: Checks,
  { label, round }: { label: string; round: number },
): Promise<void> => {
  const sdk = createSdk(stage);
  const isCalm = await sdk.calmDown();
  checks.add('an up-to-date SDK receives 304', isCalm ? undefined : 'it never did');
  const watches = {
    announced: startWatch(announced(stage), NOTICE_LIMIT_MS),
    served: startWatch(sdk.serves, NOTICE_LIMIT_MS),
    lifecycle: startWatch(inLifecycle(stage), DELIVERY_LIMIT_MS),
    delivered: startWatch(delivered(stage), DELIVERY_LIMIT_MS),
  };
  const { made: clones, wrong } = await cloneWithGateway(stage, label, (name, since) => {
    for (const watch of Object.values(watches)) watch.expect(name, since);
  });
  checks.none(
    'clones by GraphQL and REST, by an admin token, a new and an old personal token',
    wrong,
  );
  checks.inTime('their events are announced', NOTICE_LIMIT_MS, await watches.announced.settle());
  const served = await watches.served.settle();
  checks.inTime('the SDK endpoint returns 200 and serves them', NOTICE_LIMIT_MS, served);
  const lifecycle = await watches.lifecycle.settle();
  checks.inTime('each has one lifecycle row, stage initial', DELIVERY_LIMIT_MS, lifecycle);
  const arrived = await watches.delivered.settle();
  checks.inTime('upstream delivers their webhooks', DELIVERY_LIMIT_MS, arrived);

  const names = clones.map(({ name }) => name);
  const events = await readEvents(stage.sql, names);
  checks.none(
    'one delivery for each event an integration subscribes to',
    await wrongNumbers(stage, events),
  );
  checks.none('each delivery contains the event as stored', wrongBodies(stage, events));
  checks.none(
    'the SDK endpoint serves them with the strategies of the source',
    wrongServed(sdk, names),
  );
  // Before any further delivery: upstream keeps 100 records for all integrations together.
  await checkRecords(stage, checks, events);

  await cloneWithUpstream(stage, label);
  // There are many pages: all callers in the first round, one caller in each later round.
  const callersWithPages = round === 1 ? CALLERS : [CALLERS[round % CALLERS.length] ?? ''];
  checks.none(
    'admin API, deliveries and tables of upstream show copies by the gateway like its own',
    await differentSnapshots(stage, label, clones, callersWithPages),
  );
};
