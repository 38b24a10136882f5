/** A token of the demo world, and whose it is. */
export type DemoRole = { name: string; token: string };

/** What the gateway writes into the page. */
export type Settings = {
  /** Path of the gateway, without a slash at the end. */
  basePath: string;
  version: string;
  hasGraphiql: boolean;
  /** Whether the sign-in session of Unleash is accepted. */
  hasSessions: boolean;
  /** Address of the admin UI of Unleash, for signing in. */
  unleashUrl: string | null;
  demoRoles: readonly DemoRole[];
};

const element = document.getElementById('settings');
if (element === null) throw new Error('The page lacks #settings.');

export const settings = JSON.parse(element.textContent ?? '') as Settings;

export const endpoint = `${settings.basePath}/graphql`;
