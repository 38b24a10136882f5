import { firstDifference } from '../diff.js';
import type { Checks } from './checks.js';
import { at, listAt, sendGraphql, sendRequest } from './requests.js';
import type { Stage } from './stage.js';

const QUERY = `query Look($name: String!) {
  events(filter: { featureName: { is: $name } }, first: 20) { nodes { typeName createdBy environmentName } }
  feature(name: $name) {
    archived
    tags { type value }
    environments { environment { name } enabled strategies { name title } }
  }
}`;

type Action = {
  what: string;
  type: string;
  act(path: string): Promise<unknown>;
  isSeen(feature: unknown): boolean;
};

const environmentOf = (feature: unknown, name: string) =>
  listAt(feature, 'environments').find((found) => at(found, 'environment', 'name') === name);

const actions = ({ api }: Stage, name: string): Action[] => [
  {
    what: 'creating a feature',
    type: 'feature-created',
    act: () => api('POST', '/api/admin/projects/default/features', { name, type: 'release' }),
    isSeen: (feature) => at(feature, 'archived') === false,
  },
  {
    what: 'adding a strategy',
    type: 'feature-strategy-add',
    act: (path) =>
      api('POST', `${path}/environments/production/strategies`, {
        name: 'default',
        title: 'seen at once',
        constraints: [],
      }),
    isSeen: (feature) =>
      at(environmentOf(feature, 'production'), 'strategies', 0, 'title') === 'seen at once',
  },
  {
    what: 'switching on an environment',
    type: 'feature-environment-enabled',
    act: (path) => api('POST', `${path}/environments/production/on`, {}),
    isSeen: (feature) => at(environmentOf(feature, 'production'), 'enabled') === true,
  },
  {
    what: 'adding a tag',
    type: 'feature-tagged',
    act: () => api('POST', `/api/admin/features/${name}/tags`, { type: 'simple', value: 'beside' }),
    isSeen: (feature) => at(feature, 'tags', 0, 'value') === 'beside',
  },
  {
    what: 'archiving it',
    type: 'feature-archived',
    act: (path) => api('DELETE', path),
    isSeen: (feature) => at(feature, 'archived') === true,
  },
];

/** The gateway returns a change by upstream as soon as upstream has responded. */
export const upstreamChanges = async (
  stage: Stage,
  checks: Checks,
  name: string,
): Promise<void> => {
  const authorization = stage.as('adminToken');
  const path = `/api/admin/projects/default/features/${name}`;
  const search = `/api/admin/search/events?feature=IS:${name}&limit=20`;
  const wrong: string[] = [];
  for (const { what, type, act, isSeen } of actions(stage, name)) {
    await act(path);
    const [data, found] = await Promise.all([
      sendGraphql(stage.gateway.url, authorization, QUERY, { name }),
      sendRequest(`${stage.gateway.url}${search}`, { authorization }),
    ]);
    const byGraphql = listAt(data, 'events', 'nodes').map((node) => at(node, 'typeName'));
    const byRest = listAt(found.json, 'events').map((event) => at(event, 'type'));
    if (!byGraphql.includes(type)) wrong.push(`${what}: no ${type} by GraphQL`);
    if (!byRest.includes(type)) wrong.push(`${what}: no ${type} by REST`);
    if (!isSeen(at(data, 'feature'))) wrong.push(`${what}: the feature does not include it`);
  }
  checks.none('the gateway returns events and features of upstream immediately', wrong);

  const upstream = await sendRequest(`${stage.upstream().url}${search}`, { authorization });
  const gateway = await sendRequest(`${stage.gateway.url}${search}`, { authorization });
  const ids = (json: unknown) => listAt(json, 'events').map((event) => at(event, 'id'));
  checks.add(
    'both find the same events of a feature created by upstream',
    firstDifference([...ids(upstream.json)].sort(), [...ids(gateway.json)].sort(), 'ids'),
  );
};
