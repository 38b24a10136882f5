import { isObject } from '../../json.js';
import { isStorable } from '../../text.js';
import type { EventRow } from '../event-query.js';

/** Where the earlier events about a thing are found. */
export type Scope = 'feature' | 'project' | 'installation';

/** No type tells the state of things of two rules. */
export type SubjectRule = {
  scope: Scope;
  /** Whether the same thing exists once in each environment. */
  isPerEnvironment?: boolean;
  /** The field of the payload that tells the thing from others of its kind. */
  key?: string;
  /** The types whose `data` is a state of the thing. */
  tellers: readonly string[];
};

/** A thing whose earlier state is looked for: one of those that its rule is about. */
export type Subject = { rule: SubjectRule; owner: string | null };

/** What becomes of its parts when their owner is deleted is not recorded: nothing before it counts. */
export const ENDS: Readonly<Record<Scope, readonly string[]>> = {
  feature: ['feature-deleted'],
  project: ['project-deleted'],
  installation: [],
};

const FEATURE: SubjectRule = {
  scope: 'feature',
  tellers: ['feature-created', 'feature-import', 'feature-updated', 'feature-metadata-updated'],
};
const ofFeature = (type: string, isPerEnvironment: boolean): [string, SubjectRule] => [
  type,
  { scope: 'feature', isPerEnvironment, tellers: [type] },
];
const inProject = (key: string, ...types: [string, ...string[]]): [string, SubjectRule] => [
  types[0],
  { scope: 'project', key, tellers: types },
];
const inInstallation = (kind: string, key: string): [string, SubjectRule] => [
  `${kind}-updated`,
  {
    scope: 'installation',
    key,
    tellers: [`${kind}-created`, `${kind}-import`, `${kind}-updated`],
  },
];

/** Changes that some version records without the state before, and where an earlier event tells it. */
const RULES: ReadonlyMap<string, SubjectRule> = new Map([
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
      tellers: ['feature-strategy-add', 'feature-strategy-update'],
    },
  ],
  [
    'project-updated',
    { scope: 'project', tellers: ['project-created', 'project-import', 'project-updated'] },
  ],
  [
    'change-request-configuration-updated',
    {
      scope: 'project',
      isPerEnvironment: true,
      tellers: ['change-request-configuration-updated'],
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

const isName = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && isStorable(value));

/** The thing whose state after a change is all the event tells, or null where it cannot be told from others. */
export const subjectOf = ({
  type,
  data,
  featureName,
  projectId,
  environment,
}: EventRow): Subject | null => {
  const rule = RULES.get(type);
  if (!rule || !isObject(data)) return null;

  const { scope, isPerEnvironment = false, key } = rule;
  const owner = { feature: featureName, project: projectId, installation: null }[scope];
  if (owner === null && scope !== 'installation') return null;
  if (isPerEnvironment && environment === null) return null;
  if (key !== undefined && !(Object.hasOwn(data, key) && isName(data[key]))) return null;
  return { rule, owner };
};
