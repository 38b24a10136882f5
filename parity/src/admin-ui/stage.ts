import type { Browser } from '../../../test/e2e/browser/browser.js';
import { startGateway } from '../gateway.js';
import type { Check } from '../part.js';
import type { Progress } from '../progress.js';
import { startUpstream } from '../upstream.js';
import type { Sql } from '../world/sql.js';
import { compareVisits } from './compare-visits.js';
import { latestEvent, separateEvents } from './event-times.js';
import type { Person } from './person.js';
import { openSide, type Servers } from './side.js';
import { type Journey, type Seen, take } from './visit.js';

/** Set for both servers, so a signature made with the well-known default is rejected. */
const SECRET = 'admin-ui-journeys-use-a-secret-of-their-own';

/** The journeys of one user, in order. */
export type PersonJourneys = { person: Person; journeys: readonly Journey[] };

export type Stage = {
  browser: Browser;
  version: string;
  /** A filled database that no server uses. */
  databaseUrl: string;
  sql: Sql;
  /** Empty: no base path. */
  basePath: string;
  progress: Progress;
  /** Compiled program of the gateway. Default: that of this repository. */
  program?: string;
};

const runJourneys = async (
  servers: Servers,
  gateway: string,
  { person, journeys }: PersonJourneys,
  progress: Progress,
): Promise<Check[]> => {
  const { version, basePath } = servers;
  const label = `${person.role}${basePath && ` below ${basePath}`}`;
  const withoutGateway = await openSide(servers, person);
  const withGateway = await openSide({ ...servers, gateway }, person);
  const checks: Check[] = [];
  try {
    for (const [index, journey] of journeys.entries()) {
      progress.step(index, journeys.length, `${version} admin UI, ${label}: ${journey.name}`);
      const seen: [Seen, Seen] = journey.takesTurns
        ? [await take(withoutGateway, journey), await take(withGateway, journey)]
        : await Promise.all([take(withoutGateway, journey), take(withGateway, journey)]);
      checks.push(...compareVisits(label, journey, ...seen));
    }
    return checks;
  } finally {
    await withoutGateway.close();
    await withGateway.close();
  }
};

/** Starts Unleash and the gateway on one database and walks users through the admin UI. */
export const runStage = async (
  { browser, version, databaseUrl, sql, basePath, progress, program }: Stage,
  turns: readonly PersonJourneys[],
): Promise<Check[]> => {
  const lastEvent = await latestEvent(sql);
  const unleash = await startUpstream(version, databaseUrl, {
    env: { UNLEASH_SECRET: SECRET },
    ...(basePath && { basePath }),
  });
  try {
    const gateway = await startGateway(databaseUrl, {
      env: { UNLEASH_SECRET: SECRET, ...(basePath && { BASE_PATH: basePath }) },
      ...(program !== undefined && { program }),
    });
    try {
      const servers = { browser, version, unleash: unleash.url, basePath };
      const checks: Check[] = [];
      for (const turn of turns) {
        checks.push(...(await runJourneys(servers, gateway.url, turn, progress)));
        await separateEvents(sql, lastEvent);
      }
      return checks;
    } finally {
      await gateway.stop();
    }
  } finally {
    await unleash.stop();
  }
};
