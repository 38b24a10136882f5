import { type FeatureByHand, insertFeature } from '../world/features.js';
import type { Row, Sql } from '../world/sql.js';
import type { Source, World } from './world.js';

const PLAN = 'permissions-plan';

const VARIANTS = [{ name: 'a', weight: 1000, weightType: 'variable', stickiness: 'default' }];

const strategyIn = (environment: string, more: Row = {}): Row => ({
  environment,
  strategy_name: 'flexibleRollout',
  parameters: { rollout: '100', stickiness: 'default', groupId: 'g' },
  disabled: false,
  ...more,
});

/** The environments and strategies of each kind. All are linked to the environments that every project has. */
const HOLDS: Record<Source['kind'], Pick<FeatureByHand, 'environments' | 'strategies'>> = {
  plain: {},
  development: { strategies: [strategyIn('development')] },
  both: { strategies: [strategyIn('development'), strategyIn('production')] },
  disabled: { strategies: [strategyIn('production', { disabled: true })] },
  added: {
    environments: ['development', 'production', 'staging'],
    strategies: [strategyIn('staging')],
  },
  variants: {
    environments: ['development', { environment: 'production', variants: VARIANTS }],
  },
  mixed: {
    environments: ['development', { environment: 'staging', variants: VARIANTS }],
    strategies: [strategyIn('development'), strategyIn('staging')],
  },
  // The feature has no row for this environment, so no version shows the strategy.
  unlinked: { environments: ['development'], strategies: [strategyIn('production')] },
  // Belongs to a release plan, which clones don't copy.
  planned: { strategies: [strategyIn('production', { milestone_id: PLAN })] },
};

/** Sources of every kind in every project. */
export const writeFeatures = async (sql: Sql, { sources }: World): Promise<void> => {
  await sql.query(
    `insert into release_plan_definitions (id, discriminator, name, created_by_user_id)
     values ($1, 'template', $1, -1337) on conflict do nothing`,
    [PLAN],
  );
  await sql.query(
    `insert into milestones (id, name, sort_order, release_plan_definition_id)
     values ($1, $1, 0, $1) on conflict do nothing`,
    [PLAN],
  );
  for (const { name, project, kind } of sources) {
    await insertFeature(sql, {
      name,
      project,
      environments: ['development', 'production'],
      ...HOLDS[kind],
    });
  }
};
