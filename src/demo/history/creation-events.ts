import { CONTEXT_FIELDS, CUSTOM_STRATEGY, SEGMENTS, TAG_TYPE } from '../building-blocks.js';
import { INTEGRATIONS } from '../integrations.js';
import { CUSTOM_ROLES, GROUPS, PEOPLE, type Person, PROJECT_GRANTS, personOf } from '../people.js';
import { FAVORITE_PROJECTS, NEW_ENVIRONMENTS, PROJECTS, type ProjectSpec } from '../projects.js';
import { API_TOKENS } from '../tokens.js';
import type { EventLine } from './event-draft.js';

/** Creation events derived from the tables of people, projects and building blocks. */

const userData = ({ id, name, username, email }: Person) => ({ id, name, username, email });

const people = PEOPLE.flatMap((person): EventLine[] => {
  const kind = person.isService ? 'service-account' : 'user';
  const data = { ...userData(person), rootRole: person.rootRole };
  const token = { description: `demo ${person.key}`, userId: person.id };
  const lines: EventLine[] = [
    [person.joined, 481 + person.id, `${kind}-created`, 'rootAdmin', { data }],
    [person.joined, 520 + person.id, 'pat-created', person.key, { data: token }],
  ];
  if (person.left !== undefined) {
    lines.push([person.left, 1_000, `${kind}-deleted`, 'rootAdmin', { preData: userData(person) }]);
  }
  return lines;
});

export const projectData = ({ id, name, description, settings }: ProjectSpec) => ({
  id,
  name,
  description,
  mode: settings?.mode ?? 'open',
  defaultStickiness: settings?.stickiness ?? 'default',
  featureLimit: settings?.limit ?? null,
});

const projects = PROJECTS.filter(({ by }) => by !== 'system').flatMap((project): EventLine[] => {
  const { id, by, created, archived } = project;
  const lines: EventLine[] = [
    [created, 660, 'project-created', by, { project: id, data: projectData(project) }],
  ];
  for (const [index, environment] of project.environments.entries()) {
    lines.push([
      created,
      670 + index,
      'project-environment-added',
      by,
      { project: id, environment },
    ]);
  }
  for (const [environment, strategy] of Object.entries(project.defaultStrategies ?? {})) {
    const { earlier: _, ...data } = strategy;
    lines.push([created, 700, 'default-strategy-updated', by, { project: id, environment, data }]);
  }
  for (const [environment, requiredApprovals] of Object.entries(project.changeRequests ?? {})) {
    const data = { environment, requiredApprovals };
    lines.push([
      created + 1,
      600,
      'change-request-configuration-updated',
      by,
      { project: id, environment, data },
    ]);
  }
  if (archived !== undefined) {
    lines.push([archived, 720, 'project-archived', 'rootAdmin', { project: id }]);
  }
  return lines;
});

const access = PROJECT_GRANTS.map(({ person, role, project, day }, index): EventLine => {
  const { id } = personOf(person);
  const data = { roles: [{ id: role }], groups: [], users: [{ id }] };
  return [day, 840 + index, 'project-access-added', 'rootAdmin', { project, data }];
});

const groups = GROUPS.flatMap(({ id, name, description, members, roles, created }): EventLine[] => [
  [created, 780, 'group-created', 'rootAdmin', { data: { id, name, description } }],
  ...members.map((member, index): EventLine => {
    const data = { groupId: id, userId: personOf(member).id };
    return [
      Math.max(created, personOf(member).joined),
      790 + index,
      'group-user-added',
      'rootAdmin',
      { data },
    ];
  }),
  ...roles.map(({ role, project }, index): EventLine => {
    const data = { roles: [{ id: role }], groups: [{ id }], users: [] };
    return [created, 810 + index, 'project-access-added', 'rootAdmin', { project, data }];
  }),
]);

const roles = CUSTOM_ROLES.map(({ id, name, description, type, grants, created }): EventLine => {
  const permissions = grants.map(({ permission, environment }) => ({
    name: permission,
    environment,
  }));
  return [
    created,
    470,
    'role-created',
    'rootAdmin',
    { data: { id, name, description, type, permissions } },
  ];
});

const environments = NEW_ENVIRONMENTS.map(
  ({ name, type, sortOrder, created }): EventLine => [
    created,
    475,
    'environment-created',
    'rootAdmin',
    { environment: name, data: { name, type, sortOrder, enabled: true } },
  ],
);

const blocks: EventLine[] = [
  [
    TAG_TYPE.created,
    590,
    'tag-type-created',
    'editor',
    { data: { name: TAG_TYPE.name, description: TAG_TYPE.description, icon: TAG_TYPE.icon } },
  ],
  [
    CUSTOM_STRATEGY.created,
    471,
    'strategy-created',
    'editor',
    { data: { name: CUSTOM_STRATEGY.name, description: CUSTOM_STRATEGY.description } },
  ],
  ...CONTEXT_FIELDS.map(({ created, ...field }, index): EventLine => {
    const legalValues = field.legalValues ? [...field.legalValues] : null;
    return [
      created,
      472 + index,
      'context-field-created',
      'editor',
      { data: { ...field, legalValues } },
    ];
  }),
  ...SEGMENTS.map(({ id, name, description, by, created, project, constraints }): EventLine => {
    const data = { id, name, description, project, constraints };
    return [created, 600 + id, 'segment-created', by, { project, data }];
  }),
];

const tokens = API_TOKENS.map(
  ({ name, type, environment, projects, created }, index): EventLine => {
    const scope = {
      environment: environment ?? '*',
      projects: projects.length > 0 ? [...projects] : ['*'],
    };
    return [
      created,
      900 + index,
      'api-token-created',
      'rootAdmin',
      {
        project: scope.projects.join(','),
        environment: scope.environment,
        data: { tokenName: name, username: name, type, ...scope },
      },
    ];
  },
);

const integrations = INTEGRATIONS.map(
  ({ id, provider, description, enabled, created }): EventLine => {
    const data = { id, provider, description, enabled, parameters: { url: '*****' } };
    return [created, 950, 'addon-config-created', 'rootAdmin', { data }];
  },
);

const favorites = FAVORITE_PROJECTS.map(
  ({ project, person, day }): EventLine => [
    day,
    1_010,
    'project-favorited',
    person,
    { project, data: { project } },
  ],
);

export const CREATION_EVENTS: readonly EventLine[] = [
  ...people,
  ...roles,
  ...environments,
  ...projects,
  ...groups,
  ...access,
  ...blocks,
  ...tokens,
  ...integrations,
  ...favorites,
];
