import { PASSWORD } from '../world/people.js';
import { showsResponse } from './event-log.js';
import { callGraphql, callPaths, type SessionCall } from './session-calls.js';
import type { Journey, Visit } from './visit.js';

/** Opens a page that requires a session, signs in on the form and returns to the page. */
const signInByForm = async (visit: Visit): Promise<void> => {
  const { page, person } = visit;
  await page.context().clearCookies();
  await visit.open('/projects/default/logs');
  await page.locator('input[name=username]').fill(person.username);
  await page.locator('input[name=password]').fill(PASSWORD);
  await visit.picture('sign-in');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await showsResponse(visit, 'after signing in', (query) => query.get('project') === 'IS:default');
};

const signOutByMenu = async (visit: Visit): Promise<void> => {
  const { page } = visit;
  await page.getByTestId('HEADER_USER_AVATAR').click();
  await page.getByText('Log out', { exact: true }).click();
  // 6.x shows the form again, newer versions a separate page.
  await page.waitForURL(({ pathname }) => /\/(login|signed-out)$/.test(pathname));
  await visit.comparesText('page after signing out');
  await visit.picture('signed-out');
};

const cookieOf = async ({ page, root }: Visit): Promise<string> =>
  (await page.context().cookies(`${root}/api/admin/`))
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');

const statusOf = ({ what, status }: SessionCall) => `${what}: ${status}`;

export const signInAndOut: Journey = {
  name: 'signing in and out',
  edition: 'open source',
  operations: ['search events'],
  // Signing out ends every session of the user, so the two sides can't run concurrently.
  takesTurns: true,
  walk: async (visit) => {
    const { root, person, hasGateway, page } = visit;
    await signInByForm(visit);
    const cookie = await cookieOf(visit);
    const before = await callPaths(root, cookie);
    visit.compares('the four paths with the cookie', before.map(statusOf));
    if (hasGateway) {
      await visit.shows('/graphql returns the signed-in user', person.name, () =>
        page.evaluate(async (url) => {
          const response = await fetch(url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ query: '{ viewer { name } }' }),
          });
          const { data } = (await response.json()) as { data?: { viewer?: { name?: unknown } } };
          return data?.viewer?.name;
        }, `${root}/graphql`),
      );
      before.push(await callGraphql(root, cookie));
    }
    const rejected = before.filter(({ status }) => status === 401).map(statusOf);
    await visit.shows('the cookie is accepted', [], async () => rejected);

    await signOutByMenu(visit);
    const after = await callPaths(root, cookie);
    if (hasGateway) after.push(await callGraphql(root, cookie));
    const accepted = after.filter(({ status }) => status !== 401).map(statusOf);
    await visit.shows(
      `the same cookie returns 401 on ${after.map(({ what }) => what).join(', ')}`,
      [],
      async () => accepted,
    );
  },
};
