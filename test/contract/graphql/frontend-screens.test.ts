import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeWithDemo } from '../../testkit/app.js';
import { graphqlBlocks, readRepository } from '../../testkit/docs-site.js';

const FOLDER = new URL('../../../client/documents/', import.meta.url);
const files = readdirSync(FOLDER).sort();
const page = readRepository('docs/frontend/screens.md');

/** A query of the page with the variables printed above it. */
const screens = [...page.matchAll(/^```json\n([\s\S]*?)^```\n+```graphql\n([\s\S]*?)^```$/gm)].map(
  ([, variables = '', text = '']) => ({
    name: /^query (\w+)/.exec(text)?.[1] ?? '',
    variables: JSON.parse(variables),
    text,
  }),
);
const screen = (name: string) => {
  const found = screens.find((item) => item.name === name);
  if (!found) throw new Error(`The page has no query ${name}.`);
  return found;
};

describe('the page about screens', () => {
  test('shows the documents of the client package', () => {
    const documents = files.map((name) => readFileSync(new URL(name, FOLDER), 'utf8').trim());
    expect(graphqlBlocks(page).sort()).toEqual(documents.sort());
  });

  test('shows five screens, and what an event of the first one changed', () => {
    expect(screens.map(({ name }) => name)).toEqual([
      'EventLog',
      'EventChanges',
      'ProjectHealth',
      'Deliveries',
      'CloneDialog',
      'FeaturePage',
    ]);
  });
});

describeWithDemo('the queries of the screens', ({ gateway }) => {
  const run = async (name: string) => {
    const { text, variables } = screen(name);
    const { data, errors } = await gateway().graphql(text, variables);
    expect(errors).toBeUndefined();
    return data;
  };

  test('return the event log with its filters', async () => {
    const { events, eventLog, eventFacets } = await run('EventLog');
    expect(events.edges).toHaveLength(20);
    expect(eventLog.cursor).toEqual(expect.any(String));
    for (const facet of ['types', 'environments'])
      expect(eventFacets[facet].length).toBeGreaterThan(1);
    for (const facet of ['projects', 'authors'])
      expect(eventFacets[facet].nodes.length).toBeGreaterThan(1);
  });

  test('return what an event changed', async () => {
    const { event } = await run('EventChanges');
    expect(event.changes).not.toHaveLength(0);
    expect(event.changes).not.toBeNull();
  });

  test('return the health of a project', async () => {
    const { project } = await run('ProjectHealth');
    expect(project.health.cleanUp.edges.length).toBeGreaterThan(0);
    expect(project.activity.buckets.length).toBeGreaterThan(0);
    expect(project.environments.length).toBeGreaterThan(0);
  });

  test('return the failed deliveries of an integration', async () => {
    const { integration, integrations } = await run('Deliveries');
    expect(integrations.length).toBeGreaterThan(0);
    const states = integration.deliveries.edges.map(
      ({ node }: { node: { state: string } }) => node.state,
    );
    expect(new Set(states)).toEqual(new Set(['FAILED']));
  });

  test('return why a clone would be rejected, and where it could go', async () => {
    const { clonePlan, projects } = await run('CloneDialog');
    expect(clonePlan).toMatchObject({ wouldSucceed: false, newName: 'checkout-one-page' });
    expect(clonePlan.refusals[0]).toMatchObject({ archived: false });
    expect(projects.nodes.length).toBeGreaterThan(0);
  });

  test('return a feature with its environments', async () => {
    const { feature } = await run('FeaturePage');
    expect(feature.environments.length).toBeGreaterThan(1);
    expect(feature.events.edges.length).toBeGreaterThan(0);
    const [environment] = feature.environments;
    expect(environment.timeline.length).toBeGreaterThan(0);
    expect(environment.usage).not.toBeNull();
  });

  test('compose the IDs that the caches expect', async () => {
    const { data } = await gateway().graphql(`{
      feature(name: "checkout-one-page") { id name environments { id featureName environmentName } }
      project(id: "web-shop") { environments { id projectId project { id } environmentName environment { id name } } }
    }`);
    expect(data.feature.id).toBe(data.feature.name);
    for (const { id, featureName, environmentName } of data.feature.environments)
      expect(id).toBe(`${featureName}:${environmentName}`);
    for (const { id, projectId, environmentName, environment } of data.project.environments) {
      expect(id).toBe(`${projectId}:${environmentName}`);
      expect(environment.id).toBe(environment.name);
    }
  });
});
