import { InvalidOperationError } from '../errors.js';

export type DependencyFacts = {
  parentName: string;
  /** Null when the parent is gone. */
  parent: { projectId: string | null; archived: boolean } | null;
  parentHasParents: boolean;
  targetProject: string;
};

/** Throws InvalidOperationError when the copy may not depend on the parent its source depends on. */
export const assertDependency = (facts: DependencyFacts): void => {
  const { parentName, parent, parentHasParents, targetProject } = facts;

  if (parentHasParents) {
    throw new InvalidOperationError(
      `The copy cannot depend on feature '${parentName}', which itself depends on another one: dependencies go one level deep.`,
    );
  }
  if (parent === null || parent.archived) {
    throw new InvalidOperationError(
      `The source depends on feature '${parentName}', which ${parent === null ? 'does not exist' : 'is archived'}. Remove that dependency, then clone again.`,
    );
  }
  if (parent.projectId !== targetProject) {
    throw new InvalidOperationError(
      `The source depends on feature '${parentName}' of project '${parent.projectId ?? ''}', and a parent must be in the project of the copy, '${targetProject}'. Clone into the parent's project or remove the dependency.`,
    );
  }
};
