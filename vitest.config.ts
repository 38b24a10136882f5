import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

// One copy of graphql for our code and for the packages: two copies do not recognise each other's objects.
const graphql = createRequire(import.meta.url).resolve('graphql');
const alias = [{ find: /^graphql$/, replacement: graphql }];
// For what holds soon, on a busy machine a little later.
const patient = { poll: { timeout: 30_000 } };

export default defineConfig({
  test: {
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest/results.json' }]],
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          expect: patient,
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'database',
          include: ['test/{integration,api}/**/*.test.ts'],
          expect: patient,
          globalSetup: ['test/testkit/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
