import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILED_FILES, compileIfStale, useCompiledSource } from './scripts/compile-source.mjs';

// One copy of graphql for our code and for the packages: two copies do not recognize each other's objects.
const graphql = createRequire(import.meta.url).resolve('graphql');
const resolve = { alias: [{ find: /^graphql$/, replacement: graphql }] };
await compileIfStale();
// Watch mode and the coverage report need the files that Vitest has transformed itself.
const isCompiled = process.argv.includes('run') && !process.argv.includes('--coverage');
const plugins = isCompiled ? [useCompiledSource()] : [];
// For what holds soon, on a busy machine a little later.
const expect = { poll: { timeout: 30_000 } };
// Importing the product takes longer than most files test: the files of a worker share one copy of it.
const sharing = {
  isolate: false,
  setupFiles: ['test/testkit/restore-globals.ts'],
  server: { deps: { external: [COMPILED_FILES] } },
};
const withDatabase = {
  expect,
  globalSetup: ['test/testkit/setup-postgres.ts', 'test/testkit/setup-embedded.ts'],
  testTimeout: 120_000,
  hookTimeout: 300_000,
  // Twice the cores: many tests wait for timers, and for other processes. With more, all take longer.
  maxWorkers: 4,
};

// Vitest starts with the largest files, but these are short and take the longest: started last, they run alone.
const LONGEST =
  /\/(engines\/embedded|contract\/(events\/event-failover|http\/server)|e2e\/browser\/(console-matrix-(postgres|embedded)|docs|graphiql|console-use)|e2e\/processes\/(export-(command|memory)|workers|embedded-kill|embedded-faults|unread-log))\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const TIERS = ['unit', 'contract', 'engines', 'e2e'];
    const rankOf = ({ project, moduleId }: TestSpecification) =>
      TIERS.indexOf(project.name) * 2 + (LONGEST.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Reported by `npm run coverage`, without a threshold.
    coverage: {
      include: ['src/**/*.{ts,js}'],
      exclude: ['src/data/generated/**'],
      reporter: ['text-summary', 'html', 'json-summary'],
      reportsDirectory: 'node_modules/.vitest/coverage',
    },
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest/results.json' }]],
    projects: [
      {
        resolve,
        plugins,
        test: {
          ...sharing,
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          expect,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Both transports in process, on PostgreSQL.
        resolve,
        plugins,
        test: {
          ...withDatabase,
          ...sharing,
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          provide: { engine: 'postgres' },
          sequence: { groupOrder: 1 },
        },
      },
      {
        // The embedded database: its own tests, and those of the contract where the engine can matter.
        resolve,
        plugins,
        test: {
          ...withDatabase,
          ...sharing,
          name: 'engines',
          include: ['test/engines/**/*.test.ts', 'test/contract/**/*.engines.test.ts'],
          globalSetup: ['test/testkit/setup-embedded.ts'],
          provide: { engine: 'embedded' },
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve,
        plugins,
        test: {
          ...withDatabase,
          ...sharing,
          name: 'e2e',
          // Browsers and other processes need a core of their own.
          maxWorkers: 3,
          include: ['test/e2e/**/*.test.ts'],
          provide: { engine: 'postgres' },
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
