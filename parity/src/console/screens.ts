import type { Visitor } from './visitor.js';

/** A screen, and what must be shown on it. */
type Screen = {
  name: string;
  path: string;
  shows(visitor: Visitor): Promise<void>;
};

const FEATURE = 'rich';
const DESCRIPTION = 'all: "quotes", 100%, under_score';

const showsText = async ({ page }: Visitor, text: string | RegExp): Promise<void> => {
  await page.locator('main').getByText(text).first().waitFor();
};

const showsTimeTravel = async (visitor: Visitor): Promise<void> => {
  const { page } = visitor;
  await page.getByRole('slider').focus();
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('ArrowLeft');
  await page.getByRole('region', { name: /^As it stood on/ }).waitFor();
  await page.getByRole('button', { name: /Before the last event/ }).waitFor();
  await page.waitForURL(/[?&]at=/);
};

const showsCloneDialog = async (visitor: Visitor): Promise<void> => {
  const { page, person } = visitor;
  const button = page.getByRole('button', { name: 'Clone', exact: true });
  if (!person.mayCopy) {
    await showsText(visitor, /you need permission to create features/);
    if (await button.isEnabled()) throw new Error('a viewer can open the dialog');
    return;
  }
  await button.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^(Ready to clone|Cannot be cloned like this)\.$/).waitFor();
  await visitor.picture('clone-dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
};

const showsIntegrations = async (visitor: Visitor): Promise<void> => {
  if (!visitor.person.isAdmin) {
    return showsText(visitor, 'Only administrators can see integrations');
  }
  await visitor.page.getByRole('table').first().waitFor();
};

const SCREENS: readonly Screen[] = [
  {
    name: 'event log',
    path: '/',
    shows: async ({ page }) => {
      await page.locator('.event-row').first().waitFor();
      await page.locator('.activity-day').first().waitFor();
      await page.locator('.live[data-state=open]').waitFor();
    },
  },
  {
    name: 'an event',
    path: `/?feature=${FEATURE}`,
    shows: async (visitor) => {
      const { page } = visitor;
      await page.locator('.event-open').first().click();
      await page.getByRole('complementary', { name: 'Event' }).getByText(/ by /).first().waitFor();
    },
  },
  {
    name: 'feature',
    path: `/features/${FEATURE}`,
    shows: (visitor) => showsText(visitor, DESCRIPTION),
  },
  { name: 'feature at a time', path: `/features/${FEATURE}`, shows: showsTimeTravel },
  { name: 'clone dialog', path: `/features/${FEATURE}`, shows: showsCloneDialog },
  {
    name: 'projects',
    path: '/projects',
    shows: async ({ page }) => {
      await page.getByRole('link', { name: /^Default/ }).waitFor();
    },
  },
  {
    name: 'project',
    path: '/projects/default',
    shows: async ({ page }) => {
      await page.getByRole('region', { name: 'Health' }).waitFor();
      await page.getByRole('table', { name: 'Environments of the project' }).waitFor();
    },
  },
  {
    name: 'clean-up',
    path: '/clean-up',
    shows: async ({ page }) => {
      await page.getByRole('group', { name: 'Reasons' }).waitFor();
      await page.locator('main tbody tr').first().waitFor();
    },
  },
  { name: 'integrations', path: '/integrations', shows: showsIntegrations },
  {
    name: 'integration',
    path: '/integrations/1',
    shows: async (visitor) => {
      if (!visitor.person.isAdmin) return showsIntegrations(visitor);
      await visitor.page.getByRole('heading', { name: /why/i }).first().waitFor();
    },
  },
];

/** Opens each screen as one user. */
export const checkScreens = async (visitor: Visitor): Promise<void> => {
  for (const { name, path, shows } of SCREENS) {
    await visitor.check(name, async () => {
      await visitor.open(path);
      await shows(visitor);
      await visitor.settle();
      await visitor.picture(name.replaceAll(' ', '-'));
      return undefined;
    });
  }
  await visitor.check('no error in the browser, no other host requested', async () =>
    visitor.errors().join('; '),
  );
};
