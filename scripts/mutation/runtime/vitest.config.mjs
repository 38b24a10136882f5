import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import product from '../vitest.config.ts';

const FOLDER = 'FOLDER';
const file = join(FOLDER, 'durations.json');
const durations = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;

/** Fastest files first: the run ends at the first failure. */
class FastestFirst extends BaseSequencer {
  async sort(specs) {
    if (!durations) return super.sort(specs);
    const root = join(FOLDER, '..');
    const msOf = ({ project, moduleId }) =>
      durations[`${project.name} ${moduleId.slice(root.length + 1)}`] ?? 0;
    return [...specs].sort((a, b) => msOf(a) - msOf(b));
  }
}

const projects = product.test.projects.map(({ test, ...project }) => {
  const setup = { ...test, setupFiles: [join(FOLDER, 'setup.mjs')] };
  if (test.name !== 'engines' || !process.env.ALSO_EMBEDDED) return { ...project, test: setup };
  // All contract tests on the embedded database; some of them open a second database on PostgreSQL.
  const include = [...test.include, 'test/contract/**/*.test.ts'];
  const globalSetup = ['test/testkit/setup-postgres.ts', ...test.globalSetup];
  return { ...project, test: { ...setup, include, globalSetup } };
});

export default { test: { ...product.test, projects, sequence: { sequencer: FastestFirst } } };
