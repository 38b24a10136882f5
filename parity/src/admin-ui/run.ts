import { startBrowser } from '../../../test/e2e/browser/browser.js';
import { installUpstream } from '../install.js';
import type { Check, Part, PartContext } from '../part.js';
import { fillDatabase } from '../world/filled-database.js';
import { startSink } from '../world/integrations.js';
import { openSql } from '../world/sql.js';
import { copyAsPerson, copyFeature } from './copy-feature.js';
import { eventLog, projectEventLog } from './event-log.js';
import { eventLogFilters } from './event-log-filters.js';
import { eventTimeline } from './event-timeline.js';
import { spreadEvents } from './event-times.js';
import { healthView, requestsHealthReport } from './health-view.js';
import { integrationEvents } from './integration-events.js';
import { ADMIN, EDITOR, MEMBER, setMemberPassword, VIEWER } from './person.js';
import { integrationsAsPerson, logsAsPerson } from './person-pages.js';
import { signInAndOut } from './sign-in-and-out.js';
import { type PersonJourneys, runStage } from './stage.js';

const BASE_PATH = '/flags';

/** The timeline runs first because it shows only the last half hour. */
const ADMIN_JOURNEYS = [
  eventTimeline,
  eventLog,
  projectEventLog,
  eventLogFilters,
  integrationEvents,
  healthView,
  logsAsPerson,
  copyFeature,
  signInAndOut,
];
const PERSON_JOURNEYS = [logsAsPerson, integrationsAsPerson, copyAsPerson, signInAndOut];

const ALL_JOURNEYS: readonly PersonJourneys[] = [
  { person: ADMIN, journeys: ADMIN_JOURNEYS },
  ...[EDITOR, VIEWER, MEMBER].map((person) => ({ person, journeys: PERSON_JOURNEYS })),
];
const BASE_PATH_JOURNEYS: readonly PersonJourneys[] = [ADMIN, VIEWER].map((person) => ({
  person,
  journeys: PERSON_JOURNEYS,
}));

const withoutHealthView = ({ person, journeys }: PersonJourneys): PersonJourneys => ({
  person,
  journeys: journeys.filter((journey) => journey !== healthView),
});

const noHealthView: Check = {
  what: 'this version has no health view; no script of its pages requests the health report',
};

/** Walks signed-in users through the admin UI, once with Unleash alone and once with the gateway on the four paths. */
export const runAdminUi: Part = async ({ databases, version, progress, gateway }: PartContext) => {
  const onProgress = (message: string) => progress.log(`${version} admin UI: ${message}`);
  const stops: (() => Promise<void>)[] = [];
  try {
    const sink = await startSink();
    stops.push(sink.close);
    const { url: databaseUrl } = await fillDatabase(databases, version, { sink, onProgress });
    const sql = await openSql(databaseUrl);
    stops.push(sql.close);
    await spreadEvents(sql);
    await setMemberPassword(sql);
    const browser = await startBrowser();
    stops.push(() => browser.close());

    const { folder } = await installUpstream(version);
    const hasHealthView = requestsHealthReport(folder);
    const journeys = hasHealthView ? ALL_JOURNEYS : ALL_JOURNEYS.map(withoutHealthView);
    const stage = {
      ...{ browser, version, progress, databaseUrl, sql },
      ...(gateway !== undefined && { program: gateway }),
    };
    const checks = [
      ...(hasHealthView ? [] : [noHealthView]),
      ...(await runStage({ ...stage, basePath: '' }, journeys)),
      ...(await runStage({ ...stage, basePath: BASE_PATH }, BASE_PATH_JOURNEYS)),
    ];
    progress.step(1, 1, `${version} admin UI`);
    return checks;
  } finally {
    for (const stop of stops.reverse()) await stop();
    progress.end();
  }
};
