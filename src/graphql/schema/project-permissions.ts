import type {
  EnvironmentPermission,
  ProjectPermission,
} from '../../domain/projects/project-permissions.js';
import { builder } from '../builder.js';
import { Project, ProjectEnvironment } from './project.js';

type Allowed<Permission extends string> = Readonly<
  Record<Permission, { field: string; allows: string }>
>;

const IN_PROJECT: Allowed<ProjectPermission> = {
  CREATE_FEATURE: { field: 'createFeature', allows: 'create features, also by cloning' },
  UPDATE_FEATURE: { field: 'updateFeature', allows: 'change features and their tags' },
  DELETE_FEATURE: { field: 'deleteFeature', allows: 'archive and delete features' },
  MOVE_FEATURE_TOGGLE: { field: 'moveFeature', allows: 'move features to another project' },
  UPDATE_FEATURE_DEPENDENCY: {
    field: 'updateDependencies',
    allows: 'change which features a feature depends on',
  },
  UPDATE_PROJECT: { field: 'updateProject', allows: 'change the project' },
  DELETE_PROJECT: { field: 'deleteProject', allows: 'archive and delete the project' },
  UPDATE_PROJECT_SEGMENT: {
    field: 'updateSegments',
    allows: 'create and change segments of the project',
  },
  PROJECT_SETTINGS_WRITE: {
    field: 'updateSettings',
    allows: 'change the settings of the project',
  },
  PROJECT_USER_ACCESS_WRITE: {
    field: 'updateAccess',
    allows: 'change who has access to the project',
  },
};

const IN_ENVIRONMENT: Allowed<EnvironmentPermission> = {
  UPDATE_FEATURE_ENVIRONMENT: { field: 'enableFeature', allows: 'enable and disable features' },
  CREATE_FEATURE_STRATEGY: { field: 'createStrategy', allows: 'add strategies to features' },
  UPDATE_FEATURE_STRATEGY: { field: 'updateStrategy', allows: 'change strategies of features' },
  DELETE_FEATURE_STRATEGY: { field: 'deleteStrategy', allows: 'remove strategies from features' },
  UPDATE_FEATURE_ENVIRONMENT_VARIANTS: {
    field: 'updateVariants',
    allows: 'change variants of features',
  },
  APPROVE_CHANGE_REQUEST: {
    field: 'approveChangeRequest',
    allows: 'approve and reject change requests',
  },
  APPLY_CHANGE_REQUEST: { field: 'applyChangeRequest', allows: 'apply change requests' },
  SKIP_CHANGE_REQUEST: {
    field: 'skipChangeRequest',
    allows: 'change features without a change request',
  },
};

const entriesOf = <Permission extends string>(allowed: Allowed<Permission>) =>
  Object.entries(allowed) as [Permission, { field: string; allows: string }][];

export const ProjectPermissionEnum = builder.enumType('ProjectPermission', {
  description: 'A permission that counts for a whole project.',
  values: Object.fromEntries(
    entriesOf(IN_PROJECT).map(([permission, { allows }]) => [
      permission,
      { value: permission, description: `Permission to ${allows}.` },
    ]),
  ) as Record<ProjectPermission, { value: ProjectPermission; description: string }>,
});

type Place = { projectId: string; environmentName?: string };

/** A type with one field per permission. */
const permissionsType = (name: string, description: string, allowed: Allowed<string>) =>
  builder.objectRef<Place>(name).implement({
    description,
    fields: (t) =>
      Object.fromEntries(
        entriesOf(allowed).map(([permission, { field, allows }]) => [
          field,
          t.boolean({
            description: `Whether you may ${allows}. Requires ${permission}.`,
            resolve: ({ projectId: project, environmentName: environment }, _args, { actor }) =>
              actor.can(permission, { project, ...(environment !== undefined && { environment }) }),
          }),
        ]),
      ),
  });

const ProjectPermissions = permissionsType(
  'ProjectPermissions',
  'What you may do in a project, by your roles and groups. Change requests, limits and the archiving of the project may still prevent it.',
  IN_PROJECT,
);

const EnvironmentPermissions = permissionsType(
  'EnvironmentPermissions',
  'What you may do in an environment of a project, by your roles and groups.',
  IN_ENVIRONMENT,
);

builder.prismaObjectField(Project, 'viewerCan', (t) =>
  t.field({
    type: ProjectPermissions,
    description: 'What you may do in this project.',
    resolve: ({ id }) => ({ projectId: id }),
  }),
);

builder.objectField(ProjectEnvironment, 'viewerCan', (t) =>
  t.field({
    type: EnvironmentPermissions,
    description: 'What you may do in this environment of the project.',
    resolve: ({ projectId, environmentName }) => ({ projectId, environmentName }),
  }),
);
