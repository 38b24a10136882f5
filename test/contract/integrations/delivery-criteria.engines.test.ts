import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/data/connect.js';
import {
  countIntegrationEventsOf,
  type IntegrationEventCriteria,
  listIntegrationEventsOf,
} from '../../../src/domain/integrations/list-integration-events.js';
import { adminActor } from '../../testkit/actors.js';
import { describeWithDatabase } from '../../testkit/database.js';

const DELIVERIES: [state: string, event: unknown][] = [
  ['success', { type: 'feature-created', featureName: 'one', project: 'web', environment: 'prod' }],
  ['failed', { type: 'feature-updated', featureName: 'two', project: 'lab', environment: 'dev' }],
  ['failed', { type: 'feature-updated', featureName: 'one', project: 'web' }],
  ['success', 'no object'],
];

describeWithDatabase('delivery criteria', (open) => {
  let database: Database;

  beforeAll(async () => {
    database = await open();
    const { client } = database;
    await client.integration.create({ data: { id: 1, provider: 'webhook' } });
    for (const [index, [state, event]] of DELIVERIES.entries()) {
      await client.$executeRaw`
        insert into integration_events (id, integration_id, state, state_details, event, details)
        values (${index + 1}::bigint, 1, ${state}, '', ${JSON.stringify(event)}::jsonb, '{}'::jsonb)`;
    }
  });

  test.each<[IntegrationEventCriteria, number[]]>([
    [{}, [4, 3, 2, 1]],
    [{ states: ['failed'] }, [3, 2]],
    [{ statesOtherThan: ['failed'] }, [4, 1]],
    [{ types: ['feature-updated'] }, [3, 2]],
    [{ typesOtherThan: ['feature-updated'] }, [4, 1]],
    [{ features: ['one'], projectsOtherThan: ['lab'] }, [3, 1]],
    [{ featuresOtherThan: ['one'] }, [4, 2]],
    [{ projects: ['web'], environmentsOtherThan: ['prod'] }, [3]],
    [{ environmentsOtherThan: [] }, [4, 3, 2, 1]],
    [{ environments: [] }, []],
    [{ featuresOtherThan: ['one', 'two'], typesOtherThan: ['feature-created'] }, [4]],
  ])('%j return the deliveries that match all conditions', async (criteria, expected) => {
    const input = { integrationIds: [1], criteria };
    const pages = await listIntegrationEventsOf(database.client, adminActor, {
      ...input,
      page: { limit: 10 },
    });
    expect(pages.get(1)?.rows.map(({ id }) => Number(id))).toEqual(expected);
    const counts = await countIntegrationEventsOf(database.client, adminActor, input);
    expect(counts.get(1) ?? 0).toBe(expected.length);
  });

  test('that cannot be stored as text are rejected', async () => {
    for (const list of ['states', 'types', 'features', 'projects', 'environments'] as const) {
      for (const name of [list, `${list}OtherThan`] as const) {
        const count = countIntegrationEventsOf(database.client, adminActor, {
          integrationIds: [1],
          criteria: { [name]: ['a\0b'] },
        });
        await expect(count).rejects.toThrow('cannot be stored');
      }
    }
  });
});
