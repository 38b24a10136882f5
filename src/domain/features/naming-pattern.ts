import { PatternError } from '../errors.js';
import type { FeatureNaming } from '../projects/project-settings.js';
import { matchPattern } from './pattern-matcher.js';

const refusalOf = (name: string, { pattern, example, description }: FeatureNaming): string =>
  [
    `The name '${name}' does not match the naming pattern of the project, '${pattern}'.`,
    ...(example ? [`Example: '${example}'.`] : []),
    ...(description ? [`Description: ${description}`] : []),
  ].join(' ');

/** Throws PatternError if the name does not match the project's naming pattern, or matching takes too long. */
export const assertNamingPattern = async (name: string, naming: FeatureNaming): Promise<void> => {
  const { pattern, example, description } = naming;
  if (!pattern) return;

  // Anchored without a group, as in Unleash; an invalid regular expression rejects nothing.
  const result = await matchPattern(`^${pattern}$`, name);
  if (result === 'match' || result === 'malformed') return;

  const message =
    result === 'too slow'
      ? `Matching the name '${name}' against the naming pattern of the project takes too long. Simplify the pattern.`
      : refusalOf(name, naming);
  throw new PatternError(message, pattern, example, description);
};
