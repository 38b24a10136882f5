import type { Loaders } from '../../data/loaders.js';
import { unknownEnvironment } from '../environments.js';
import type { DomainError } from '../errors.js';
import { assertText } from '../text.js';

type Environments = Awaited<ReturnType<Loaders['environments']['load']>>;

/** One error per request and environment: a request can ask for thousands of features. */
const errorsOf = new WeakMap<Environments, Map<string, DomainError>>();

const errorOf = (all: Environments, environment: string): DomainError => {
  const errors = errorsOf.get(all) ?? new Map<string, DomainError>();
  errorsOf.set(all, errors);
  const names = all.map(({ name }) => name);
  const error = errors.get(environment) ?? unknownEnvironment(environment, names);
  errors.set(environment, error);
  return error;
};

export const assertEnvironmentExists = async (
  loaders: Loaders,
  environment: string,
): Promise<void> => {
  const all = await loaders.environments.load('all');
  if (!all.some(({ name }) => name === environment)) throw errorOf(all, environment);
};

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

  await assertEnvironmentExists(loaders, environment);
  return false;
};
