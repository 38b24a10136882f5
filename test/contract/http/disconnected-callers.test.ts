import { beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.js';
import type { Database } from '../../../src/data/connect.js';
import { createWork, runAs } from '../../../src/data/work/work.js';
import { createOperations, type Operations } from '../../../src/domain/operations.js';
import { adminActor } from '../../testkit/actors.js';

import { describeWithDatabase } from '../../testkit/database.js';

const READS: [name: string, read: (operations: Operations) => Promise<unknown>][] = [
  ['an integration', (operations) => operations.assertIntegration(adminActor, 1)],
  ['a feature', (operations) => operations.createLoaders(adminActor).feature.load('checkout')],
  ['a project', (operations) => operations.createLoaders(adminActor).project.load('default')],
  ['the deployment fingerprint', (operations) => operations.findDeploymentMark()],
];

describeWithDatabase('a caller that disconnects', (open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
    await database.client.integration.create({ data: { id: 1, provider: 'webhook' } });
  });

  test.each(READS)(
    'does not cancel the concurrent read of another caller: %s',
    async (_name, read) => {
      const operations = createOperations(database, loadConfig({}));
      const controller = new AbortController();
      const disconnected = runAs(createWork(controller.signal), () => read(operations)).catch(
        () => 'left',
      );
      const connected = runAs(createWork(), () => read(operations)).then(() => 'stayed');
      controller.abort();

      expect(await Promise.all([disconnected, connected])).toContain('stayed');
    },
  );
});
