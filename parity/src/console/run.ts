import { type Browser, startBrowser } from '../../../test/e2e/browser/browser.js';
import { ADMIN, MEMBER, type Person, setMemberPassword, VIEWER } from '../admin-ui/person.js';
import type { Check, Part } from '../part.js';
import { fillDatabase } from '../world/filled-database.js';
import { openSql } from '../world/sql.js';
import { checkClone } from './clone-feature.js';
import { checkLiveEvents, checkRestart } from './live-events.js';
import { checkScreens } from './screens.js';
import { type Stage, startStage } from './stage.js';
import { checkTokenBox } from './token-box.js';
import { openVisitor, type Visitor } from './visitor.js';

const visit = async (
  browser: Browser,
  stage: Stage,
  person: Person,
  work: (visitor: Visitor) => Promise<void>,
): Promise<Check[]> => {
  const visitor = await openVisitor(browser, stage, person);
  try {
    await work(visitor);
    return visitor.checks;
  } finally {
    await visitor.close();
  }
};

/** The console attached to a running Unleash, used by people who sign in there. */
export const runConsole: Part = async ({ databases, version, progress, gateway: program }) => {
  const onProgress = (message: string) => progress.log(`${version} console: ${message}`);
  const stops: (() => Promise<void>)[] = [];
  try {
    const { url: databaseUrl } = await fillDatabase(databases, version, { onProgress });
    const sql = await openSql(databaseUrl);
    await setMemberPassword(sql);
    await sql.close();
    const browser = await startBrowser();
    stops.push(() => browser.close());
    const stage = await startStage({ version, databaseUrl, program });
    stops.push(stage.stop);

    const checks: Check[] = [];
    for (const person of [VIEWER, MEMBER]) {
      onProgress(person.role);
      checks.push(...(await visit(browser, stage, person, checkScreens)));
    }
    onProgress(ADMIN.role);
    const asAdmin = async (visitor: Visitor) => {
      await checkScreens(visitor);
      await checkClone(stage, visitor);
      await checkLiveEvents(stage, visitor);
      await checkRestart(stage, visitor);
    };
    checks.push(...(await visit(browser, stage, ADMIN, asAdmin)));
    checks.push(await checkTokenBox(browser, databaseUrl, program));
    return checks;
  } finally {
    for (const stop of stops.reverse()) await stop();
    progress.end();
  }
};
