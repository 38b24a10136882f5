import { crashed, type Experiment, type Form, type Run } from './experiment.js';
import { ROUNDS } from './experiments.js';
import { readOptions } from './options.js';
import {
  countOf,
  markdownOf,
  type Outcome,
  printOutcome,
  writeMarkdown,
  writeSummary,
} from './report.js';
import { createScope } from './scope.js';
import { createWorld, type World } from './world/world.js';

const options = readOptions();
const { form, seed, titlePart } = options;

const log = (message: string) => process.stderr.write(`… ${message}\n`);

const runOne = async ({ name, run }: Experiment, world: World): Promise<Outcome> => {
  const startedAt = Date.now();
  const scope = createScope();
  const context: Run = {
    form,
    seed,
    titlePart,
    world,
    scope,
    log: (message) => log(`${name}: ${message}`),
    sized: <Value>(values: Record<Form, Value>) => values[form],
  };
  const measurements = await run(context)
    .catch((error: unknown) => [crashed('runs to completion', error)])
    .finally(() => scope.close());
  return { name, seconds: (Date.now() - startedAt) / 1000, measurements };
};

const main = async (): Promise<boolean> => {
  const scope = createScope();
  const outcomes: Outcome[] = [];
  try {
    log(`filling a database with ${options.events.toLocaleString('en')} events`);
    const world = await createWorld(scope, options.events);
    const isChosen = ({ name }: Experiment) =>
      options.only.length === 0 || options.only.includes(name);
    for (const round of ROUNDS) {
      const ended = await Promise.all(
        round.filter(isChosen).map((experiment) => runOne(experiment, world)),
      );
      for (const outcome of ended) process.stdout.write(printOutcome(outcome));
      outcomes.push(...ended);
    }
  } finally {
    await scope.close();
  }
  const markdown = markdownOf(outcomes, options);
  process.stdout.write(`\n${markdown}\n`);
  if (options.report !== undefined) writeMarkdown(options.report, markdown);
  writeSummary(outcomes);
  const { passed, failed } = countOf(outcomes);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed === 0 && passed > 0;
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

process.exit((await main()) ? 0 : 1);
