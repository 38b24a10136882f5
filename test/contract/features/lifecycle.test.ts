import { expect, test } from 'vitest';
import { describeWithRows } from '../../testkit/seeded.js';

const at = (day: string) => new Date(`${day}T00:00:00Z`);

const completed = (status: string | null, statusValue: string | null = null) => ({
  createdAt: at('2024-03-01'),
  status,
  statusValue,
});

const ROWS = {
  projects: { web: {}, empty: {} },
  features: [
    {
      name: 'kept',
      project: 'web',
      archivedAt: at('2024-04-01'),
      stages: {
        archived: at('2024-04-01'),
        live: at('2024-02-01'),
        initial: at('2024-01-01'),
        completed: completed('kept', 'blue'),
      },
    },
    {
      name: 'discarded',
      project: 'web',
      createdAt: at('2024-01-01'),
      stages: { completed: completed('discarded', '') },
    },
    { name: 'odd', project: 'web', stages: { completed: completed('paused') } },
    { name: 'unknown', project: 'web', stages: { completed: completed(null) } },
    {
      name: 'reopened',
      project: 'web',
      type: 'experiment',
      stale: true,
      stages: { completed: completed('kept'), live: at('2024-05-01') },
    },
    { name: 'new', project: 'web', type: null, createdAt: new Date() },
  ],
};

describeWithRows('the lifecycle of a feature', ROWS, ({ gateway }) => {
  const lifecycleOf = async (name: string) => {
    const { data, errors } = await gateway().graphql(
      `query ($name: String!) { feature(name: $name) { lifecycle {
        stage stageName enteredStageAt stages { stage stageName enteredAt } outcome { kind kindName variantName }
      } } }`,
      { name },
    );
    expect(errors).toBeUndefined();
    return data.feature.lifecycle;
  };

  test('has all stages with their entry times, oldest first', async () => {
    expect(await lifecycleOf('kept')).toEqual({
      stage: 'ARCHIVED',
      stageName: 'archived',
      enteredStageAt: '2024-04-01T00:00:00.000Z',
      stages: [
        { stage: 'INITIAL', stageName: 'initial', enteredAt: '2024-01-01T00:00:00.000Z' },
        { stage: 'LIVE', stageName: 'live', enteredAt: '2024-02-01T00:00:00.000Z' },
        { stage: 'COMPLETED', stageName: 'completed', enteredAt: '2024-03-01T00:00:00.000Z' },
        { stage: 'ARCHIVED', stageName: 'archived', enteredAt: '2024-04-01T00:00:00.000Z' },
      ],
      outcome: { kind: 'KEPT', kindName: 'kept', variantName: 'blue' },
    });
    expect(await lifecycleOf('new')).toBeNull();
  });

  test('has the outcome that was recorded, unless the feature was reopened', async () => {
    const outcomeOf = async (name: string) => (await lifecycleOf(name)).outcome;
    expect(await outcomeOf('discarded')).toEqual({
      kind: 'DISCARDED',
      kindName: 'discarded',
      variantName: null,
    });
    expect(await outcomeOf('odd')).toMatchObject({ kind: 'OTHER', kindName: 'paused' });
    expect(await outcomeOf('unknown')).toBeNull();
    expect(await outcomeOf('reopened')).toBeNull();
  });

  test('is counted by feature type in the health of the project, archived features excluded', async () => {
    const { data } = await gateway().graphql(`{
      web: project(id: "web") { health { countsByType { type count staleCount potentiallyStaleCount } } }
      empty: project(id: "empty") { health { countsByType { count } } }
    }`);
    expect(data.web.health.countsByType).toEqual([
      { type: 'release', count: 3, staleCount: 0, potentiallyStaleCount: 1 },
      { type: null, count: 1, staleCount: 0, potentiallyStaleCount: 0 },
      { type: 'experiment', count: 1, staleCount: 1, potentiallyStaleCount: 0 },
    ]);
    expect(data.empty.health.countsByType).toEqual([]);
  });
});
