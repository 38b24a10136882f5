import type { Loaders } from '../../data/loaders.js';
import { unknownEnvironment } from '../environments.js';
import { assertText } from '../text.js';

/** Whether a feature is enabled in an environment, which must exist; with null, in any environment. */
export const isEnabled = async (
  loaders: Loaders,
  name: string,
  environment: string | null,
): Promise<boolean> => {
  assertText('The environment', environment ?? '');
  const rows = await loaders.environmentsOfFeature.load(name);
  if (environment === null) return rows.some((row) => row.enabled);

  const row = rows.find(({ environmentName }) => environmentName === environment);
  if (row) return row.enabled;

  const all = (await loaders.environments.load('all')).map((known) => known.name);
  if (!all.includes(environment)) throw unknownEnvironment(environment, all);
  return false;
};
