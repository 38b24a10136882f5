import { isAtLeast } from '../version.js';
import { showsResponse } from './event-log.js';
import { MEMBER } from './person.js';
import { asShown } from './shown-text.js';
import type { Journey, Visit } from './visit.js';

/** Has strategies in every environment of the project, including staging, where members can't add any. */
const RICH = 'rich';
const DESCRIPTION = 'all: "quotes", 100%, under_score';
/** Has strategies in development and production only. */
const PLAIN = 'planned';

/** Names of copies end with the server that creates them. */
const COPY_SUFFIX = { gateway: 'made-by-gateway', unleash: 'made-by-unleash' };

/** Replaces the name of upstream's copy with the name of the gateway's copy. */
export const asGatewayCopy = (text: string): string =>
  text.replaceAll(COPY_SUFFIX.unleash, COPY_SUFFIX.gateway);

const nameOfCopy = ({ person, basePath, hasGateway }: Visit, source: string): string =>
  [
    source,
    person.role.replaceAll(' ', '-'),
    ...(basePath ? ['below-base-path'] : []),
    COPY_SUFFIX[hasGateway ? 'gateway' : 'unleash'],
  ].join('-');

/** Since 8.0 the copy action is in a menu. */
const openFormByMenu = async (visit: Visit): Promise<void> => {
  const { page } = visit;
  await visit.open(`/projects/default/features/${RICH}`);
  // Until the feature is loaded, the menu entry links to no project.
  await page.getByText(DESCRIPTION).first().waitFor();
  if (isAtLeast(visit.version, '8.0.0')) {
    await page.getByRole('button', { name: 'Feature flag actions' }).click();
    await page.getByRole('menuitem', { name: 'Clone' }).click();
    return;
  }
  await page.getByRole('link', { name: 'Clone', exact: true }).click();
};

const submitForm = async (visit: Visit, source: string): Promise<string> => {
  const { page } = visit;
  const name = nameOfCopy(visit, source);
  await page.getByRole('heading', { name: `Copy ${source}` }).waitFor();
  await page.getByLabel('Name').fill(name);
  await visit.picture(`copy-${source}-form`);
  await page.getByRole('button', { name: 'Create from copy' }).click();
  return name;
};

const showsCopy = async (visit: Visit, name: string): Promise<void> => {
  const { page } = visit;
  const { json } = await visit.response('clone', ({ status }) => status < 400);
  await visit.shows('the copy is created', name, async () => (json as { name?: unknown }).name);
  await visit.shows(
    'the browser opens the copy',
    `${visit.basePath}/projects/default/features/${name}`,
    async () => new URL(page.url()).pathname,
  );
  await visit.shows('the page of the copy has its name', true, async () =>
    (await page.getByRole('heading', { level: 1 }).allInnerTexts()).includes(name),
  );
};

const showsLogOfCopy = async (visit: Visit, name: string): Promise<void> => {
  await visit.open(`/projects/default/features/${name}/logs`);
  const { events } = await showsResponse(
    visit,
    'event log of the copy',
    (query) => query.get('feature') === `IS:${name}`,
  );
  await visit.shows('the copy has an event', ['feature-created'], async () =>
    events.map(({ type }) => type).filter((type) => type === 'feature-created'),
  );
  visit.compares(
    'recorded events and their author',
    events.map(({ type, createdBy }) => `${type} by ${createdBy}`).sort(),
  );
};

export const copyFeature: Journey = {
  name: 'copying a feature',
  edition: 'open source',
  operations: ['clone', 'search events'],
  walk: async (visit) => {
    await openFormByMenu(visit);
    const name = await submitForm(visit, RICH);
    await showsCopy(visit, name);
    await visit.shows('the page of the copy has the description', true, async () =>
      (await visit.page.locator('main').allInnerTexts()).join().includes(DESCRIPTION),
    );
    await visit.picture('copy-feature');
    await showsLogOfCopy(visit, name);
    await visit.picture('copy-feature-log');
  },
};

/** Extracts the permissions and environments from a message, because the gateway words messages itself (D-ALL-4). */
const detailsOf = (message: string): string[] =>
  (message.match(/\b(?:[A-Z]+_[A-Z_]+|development|staging|production)\b/g) ?? []).sort();

/** Submits a copy form that the server rejects and checks that the page shows the reason. */
const isRefused = async (visit: Visit, source: string): Promise<void> => {
  await visit.open(`/projects/default/features/${source}/copy`);
  await submitForm(visit, source);
  const { status } = await visit.exchange('clone', ({ path }) => path.includes(`/${source}/`));
  await visit.shows(`copying ${source} returns 403`, 403, async () => status);
  const alert = visit.page.getByRole('alert').first();
  await alert.waitFor();
  const reason = asShown(await alert.innerText());
  const details = detailsOf(reason);
  await visit.shows(
    `the page shows that copying ${source} requires ${details.join(' in ')}`,
    true,
    async () => details.length > 0,
  );
  visit.compares(`the permission that copying ${source} requires`, details);
  await visit.comparesText(`copying ${source} is rejected`, reason);
  await visit.picture(`copy-${source}-refused`);
};

/** A person can copy what the role allows; everything else is rejected. */
export const copyAsPerson: Journey = {
  name: 'copying a feature',
  edition: 'open source',
  operations: ['clone'],
  walk: async (visit) => {
    const { person, version } = visit;
    if (!person.mayCopy) return isRefused(visit, PLAIN);
    // Since 8.0 a copy requires permissions in each environment that has strategies.
    if (person === MEMBER && isAtLeast(version, '8.0.0')) await isRefused(visit, RICH);

    await visit.open(`/projects/default/features/${PLAIN}/copy`);
    const name = await submitForm(visit, PLAIN);
    await showsCopy(visit, name);
    await showsLogOfCopy(visit, name);
  },
};
