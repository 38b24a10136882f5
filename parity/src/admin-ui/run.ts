import { startBrowser } from '../../../test/testkit/browser.js';
import { startGateway } from '../gateway.js';
import { startOriginal } from '../original.js';
import type { Check, Part, PartContext } from '../part.js';
import { fillDatabase } from '../world/filled-database.js';
import { startSink } from '../world/integrations.js';
import { openSql, type Sql } from '../world/sql.js';
import { COPIES, copyFeature } from './copy-feature.js';
import { eventLog, projectEventLog } from './event-log.js';
import { eventLogFilters } from './event-log-filters.js';
import { eventTimeline } from './event-timeline.js';
import { asksForHealthReport, healthView } from './health-view.js';
import { integrationEvents } from './integration-events.js';
import { type Journey, openSide, type Seen, take, WHOLE_WALK } from './visit.js';

/** The timeline first: it reaches back half an hour only. */
const JOURNEYS = [
  eventTimeline,
  eventLog,
  projectEventLog,
  eventLogFilters,
  integrationEvents,
  healthView,
  copyFeature,
];

/** Spreads what has just happened over the last months and minutes, for days to choose from and a strip of time. */
const spreadEvents = async (sql: Sql): Promise<void> => {
  await sql.query(
    `with latest as (
       select id, feature_name like 'made-by-%' as is_made_by, row_number() over (order by id) as place,
              count(*) over (order by id desc) as from_end
       from events where created_at > now() - interval '1 hour')
     update events set created_at = case
         when place <= 24 then now() - (350 - 10 * place) * interval '1 day'
         when is_made_by then now() - from_end * interval '2 minutes'
         when from_end <= 3 then now() - from_end * interval '1 minute'
         else now() - interval '20 minutes' + place * interval '1 millisecond' end
     from latest where latest.id = events.id`,
  );
};

const difference = (expected: readonly string[], found: readonly string[]): string => {
  const added = found.filter((entry) => !expected.includes(entry));
  const missing = expected.filter((entry) => !found.includes(entry));
  return [
    ...added.map((entry) => `only with the gateway: ${entry}`),
    ...missing.map((entry) => `only with the original alone: ${entry}`),
  ].join('; ');
};

/** Some pages ask for what this server does not have, whoever answers the four paths. */
const troubleCheck = ({ name }: Journey, alone: Seen, seen: Seen): Check => {
  const expected = alone.troubles.map((text) => text.replaceAll(COPIES.original, COPIES.gateway));
  const text = difference(expected, seen.troubles);
  const kept = expected.length > 0 ? ` but the ${expected.length} of the original alone` : '';
  return {
    what: `admin pages, ${name}: no error in console and network${kept}`,
    ...(text && { difference: text }),
  };
};

/** None of them is reached: the browser is kept from other hosts. */
const hostsCheck = ({ name }: Journey, alone: Seen, seen: Seen): Check => {
  const text = difference(alone.otherHosts, seen.otherHosts);
  return {
    what: `admin pages, ${name}: other hosts asked for, in vain, as with the original alone: ${seen.otherHosts.join(', ') || 'none'}`,
    ...(text && { difference: text }),
  };
};

const answeredChecks = ({ name, operations }: Journey, { exchanges }: Seen): Check[] =>
  operations.map((operation) => {
    const asked = exchanges.filter((exchange) => exchange.operation === operation);
    const strangers = asked.filter(({ by }) => by !== 'gateway');
    const failed = asked.find(({ status }) => status >= 400);
    const problems = [
      ...(asked.length === 0 ? ['nothing was asked'] : []),
      ...(strangers.length > 0 ? [`the original answered ${strangers.length}`] : []),
      ...(failed ? [`${failed.method} ${failed.path} was answered ${failed.status}`] : []),
    ];
    return {
      what: `admin pages, ${name}: the gateway answered ${operation}, all of ${asked.length}`,
      ...(problems.length > 0 && { difference: problems.join('; ') }),
    };
  });

const judge = (journey: Journey, alone: Seen, seen: Seen): Check[] => {
  const prefix = `admin pages, ${journey.name}`;
  // What the original's answers look like is not judged here, only that its troubles can be compared.
  const stuck = alone.checks
    .filter(({ what }) => what === WHOLE_WALK)
    .map(({ what, ...rest }) => ({ what: `${prefix}, original alone: ${what}`, ...rest }));
  return [
    ...stuck,
    ...seen.checks.map(({ what, ...rest }) => ({ what: `${prefix}: ${what}`, ...rest })),
    troubleCheck(journey, alone, seen),
    hostsCheck(journey, alone, seen),
    ...answeredChecks(journey, seen),
  ];
};

const withoutHealthView: Check = {
  what: 'admin pages: this version has no health view; no script of its pages asks for the health report',
};

/** Walks through the original's own pages with the gateway behind the four paths, and once without it. */
export const runAdminUi: Part = async ({ databases, version, progress, gateway }: PartContext) => {
  const tell = (message: string) => progress.tell(`${version} admin pages: ${message}`);
  const stops: (() => Promise<void>)[] = [];
  try {
    const sink = await startSink();
    stops.push(sink.close);
    const { url } = await fillDatabase(databases, version, { sink, tell });
    const sql = await openSql(url);
    await spreadEvents(sql).finally(sql.close);

    const original = await startOriginal(version, url);
    stops.push(original.stop);
    const server = await startGateway(url, { ...(gateway !== undefined && { program: gateway }) });
    stops.push(server.stop);
    const browser = await startBrowser();
    stops.push(() => browser.close());

    const place = { browser, version, original: original.url };
    const alone = await openSide(place);
    stops.push(alone.close);
    const beside = await openSide({ ...place, gateway: server.url });
    stops.push(beside.close);

    const hasHealthView = asksForHealthReport(original.folder);
    const journeys = JOURNEYS.filter((journey) => journey !== healthView || hasHealthView);
    const checks: Check[] = hasHealthView ? [] : [withoutHealthView];
    for (const [index, journey] of journeys.entries()) {
      progress.step(index, journeys.length, `${version} admin pages: ${journey.name}`);
      const seen = await Promise.all([take(alone, journey), take(beside, journey)]);
      checks.push(...judge(journey, ...seen));
    }
    progress.step(journeys.length, journeys.length, `${version} admin pages`);
    return checks;
  } finally {
    for (const stop of stops.reverse()) await stop();
    progress.end();
  }
};
