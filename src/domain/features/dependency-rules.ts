import { InvalidOperationError, NotFoundError } from '../errors.js';
import type { UnleashMajor } from './clone-limits.js';

export type DependencyFacts = {
  parentName: string;
  /** Null if the parent no longer exists. */
  parent: { projectId: string | null; archived: boolean } | null;
  parentHasParents: boolean;
  targetProject: string;
  /** The Unleash version whose rules apply. */
  major: UnleashMajor;
};

/** Throws if the clone may not depend on the parent of its source. */
export const assertDependency = (facts: DependencyFacts): void => {
  const { parentName, parent, parentHasParents, targetProject, major } = facts;

  if (parentHasParents) {
    throw new InvalidOperationError(
      `The copy cannot depend on feature '${parentName}', which itself depends on another one: dependencies are limited to one level.`,
    );
  }
  if (parent === null || parent.archived) {
    throw new InvalidOperationError(
      `The source depends on feature '${parentName}', which ${parent === null ? 'does not exist' : 'is archived'}. Remove that dependency, then clone again.`,
    );
  }
  if (parent.projectId === targetProject) return;
  // Unleash 8 does not reveal the project of the parent.
  if (major >= 8) {
    throw new NotFoundError(
      `The source depends on feature '${parentName}', which project '${targetProject}' does not have. Remove the dependency, then clone again.`,
      'Feature',
      parentName,
    );
  }
  throw new InvalidOperationError(
    `The source depends on feature '${parentName}' of project '${parent.projectId ?? ''}', and a parent must be in the project of the copy, '${targetProject}'. Clone into the parent's project or remove the dependency.`,
  );
};
