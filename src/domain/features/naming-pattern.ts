import { PatternError } from '../errors.js';
import type { FeatureNaming } from '../projects/project-settings.js';
import { judgePattern } from './pattern-judge.js';

const refusalOf = (name: string, { pattern, example, description }: FeatureNaming): string =>
  [
    `The name '${name}' does not fit the naming pattern of the project, '${pattern}'.`,
    ...(example ? [`A name that fits is '${example}'.`] : []),
    ...(description ? [`What the pattern asks for: ${description}`] : []),
  ].join(' ');

/** Throws PatternError when the name misses the project's naming pattern, or the pattern is too hard to judge. */
export const assertNamingPattern = async (name: string, naming: FeatureNaming): Promise<void> => {
  const { pattern, example, description } = naming;
  if (!pattern) return;

  // Without a group around it, as the original anchors it; one that is no regular expression forbids nothing.
  const verdict = await judgePattern(`^${pattern}$`, name);
  if (verdict === 'match' || verdict === 'malformed') return;

  const message =
    verdict === 'too slow'
      ? `The naming pattern of the project takes too long to judge the name '${name}'. Ask an owner of the project for a simpler pattern.`
      : refusalOf(name, naming);
  throw new PatternError(message, pattern, example, description);
};
