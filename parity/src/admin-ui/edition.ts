import type { Page } from '../../../test/e2e/browser/browser.js';

/** The edition of Unleash that the pages show. The open source edition hides some parts. */
export type Edition = 'open source' | 'pro' | 'enterprise';

/** Pages offer the project filter only if there is more than one project. */
const SECOND_PROJECT = { id: 'alpha', name: 'Alpha' };

type UiConfig = { versionInfo: { current: object } };
type ProjectList = { projects: { id: string }[] };

const inEdition = (config: UiConfig, edition: Edition, version: string): UiConfig => {
  const current = { ...config.versionInfo.current, enterprise: version };
  const versionInfo = { ...config.versionInfo, current };
  return { ...config, ...{ environment: edition }, versionInfo };
};

const withSecondProject = (list: ProjectList): ProjectList => {
  const second = list.projects.slice(0, 1).map((project) => ({ ...project, ...SECOND_PROJECT }));
  return { ...list, projects: [...list.projects, ...second] };
};

/** Rewrites two responses of Unleash in the browser to those of a paid edition. The proxy changes nothing. */
export const pretendEdition = async (
  page: Page,
  edition: Edition,
  version: string,
): Promise<void> => {
  if (edition === 'open source') return;
  await page.route('**/api/admin/ui-config', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: inEdition(await response.json(), edition, version) });
  });
  // The open source edition lists only project default.
  await page.route('**/api/admin/projects', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: withSecondProject(await response.json()) });
  });
};
