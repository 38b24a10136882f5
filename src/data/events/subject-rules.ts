/** Where earlier events about an object are searched. */
export type Scope = 'feature' | 'project' | 'installation';

/** Each event type records states for at most one rule. */
export type SubjectRule = {
  scope: Scope;
  /** The object exists once per environment. */
  isPerEnvironment?: boolean;
  /** The payload field that identifies the object among its kind. */
  key?: string;
  /** Event types whose `data` is a state of the object. */
  recordingTypes: readonly string[];
};

/** Deleting an owner records nothing about its parts, so states before the deletion are ignored. */
export const DELETION_TYPES: Readonly<Record<Scope, readonly string[]>> = {
  feature: ['feature-deleted'],
  project: ['project-deleted'],
  installation: [],
};

const FEATURE: SubjectRule = {
  scope: 'feature',
  recordingTypes: [
    'feature-created',
    'feature-import',
    'feature-updated',
    'feature-metadata-updated',
  ],
};
const ofFeature = (type: string, isPerEnvironment: boolean): [string, SubjectRule] => [
  type,
  { scope: 'feature', isPerEnvironment, recordingTypes: [type] },
];
const inProject = (key: string, ...types: [string, ...string[]]): [string, SubjectRule] => [
  types[0],
  { scope: 'project', key, recordingTypes: types },
];
const inInstallation = (kind: string, key: string): [string, SubjectRule] => [
  `${kind}-updated`,
  {
    scope: 'installation',
    key,
    recordingTypes: [`${kind}-created`, `${kind}-import`, `${kind}-updated`],
  },
];

/** Changes that some Unleash version records without the previous state, and the earlier events that contain it. */
export const SUBJECT_RULES: ReadonlyMap<string, SubjectRule> = new Map([
  ['feature-updated', FEATURE],
  ['feature-metadata-updated', FEATURE],
  ofFeature('feature-variants-updated', false),
  ofFeature('feature-environment-variants-updated', true),
  ofFeature('strategy-order-changed', true),
  [
    'feature-strategy-update',
    {
      scope: 'feature',
      isPerEnvironment: true,
      key: 'id',
      recordingTypes: ['feature-strategy-add', 'feature-strategy-update'],
    },
  ],
  [
    'project-updated',
    { scope: 'project', recordingTypes: ['project-created', 'project-import', 'project-updated'] },
  ],
  [
    'change-request-configuration-updated',
    {
      scope: 'project',
      isPerEnvironment: true,
      recordingTypes: ['change-request-configuration-updated'],
    },
  ],
  inProject('userId', 'project-access-user-roles-updated'),
  inProject('groupId', 'project-access-group-roles-updated'),
  inProject('userId', 'project-user-role-changed', 'project-user-added'),
  inProject('groupId', 'project-group-role-changed', 'project-group-added'),
  ...['strategy', 'context-field', 'tag-type', 'environment'].map((kind) =>
    inInstallation(kind, 'name'),
  ),
  ...[
    'segment',
    'feature-type',
    'user',
    'service-account',
    'role',
    'group',
    'setting',
    'addon-config',
    'banner',
    'signal-endpoint',
    'signal-endpoint-token',
    'actions',
    'release-plan-template',
  ].map((kind) => inInstallation(kind, 'id')),
]);
