import type { Command } from 'commander';
import { coerceInputValue, type GraphQLInputType } from 'graphql';
import { schema } from '../../graphql/schema/index.js';
import { CommandRefusedError } from '../on-database.js';
import { readTypeFilter } from './read-event-types.js';
import { readMoment } from './read-moment.js';

/** The variable `filter` of the operations that are sent: an EventFilter of the graph. */
export type EventFilter = Readonly<Record<string, unknown>>;

export type FilterOptions = {
  project?: string[];
  feature?: string[];
  environment?: string[];
  type?: string[];
  group?: string[];
  createdBy?: string[];
  from?: string;
  to?: string;
  text?: string;
  filter?: string;
};

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];

export const addFilterOptions = (command: Command): Command =>
  command
    .option('--project <id>', 'events of this project; repeat it for several', collect)
    .option('--feature <name>', 'events of this feature; repeat it for several', collect)
    .option('--environment <name>', 'events of this environment; repeat it for several', collect)
    .option('--type <types>', 'feature-created or FEATURE_CREATED; repeat or use commas', collect)
    .option('--group <groups>', 'types by what they are about, such as feature', collect)
    .option('--created-by <id>', 'number of the user who did it; repeat it for several', collect)
    .option('--from <time>', 'the first moment: 2026-03-01T09:30:00Z, or a day in UTC')
    .option('--to <time>', 'the moment before which to stop, or the last day in UTC')
    .option('--text <text>', 'found in any letter case in data, preData or the tags')
    .option('--filter <json>', 'a whole EventFilter of the graph as JSON');

const readUserId = (text: string): number => {
  const id = Number(text);
  if (/^-?\d{1,10}$/.test(text) && Math.abs(id) < 2 ** 31) return id;
  throw new CommandRefusedError(
    `--created-by takes the number of a user, such as 7, or -42 for admin tokens; '${text}' is none.`,
  );
};

const oneOf = <Value>(values: readonly Value[]): EventFilter =>
  values.length === 1 ? { is: values[0] } : { anyOf: values };

const readGivenFilter = (json: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Told below.
  }
  throw new CommandRefusedError(
    `--filter takes an EventFilter as a JSON object, such as '{"project": {"is": "default"}}'.`,
  );
};

const assertFilter = (filter: EventFilter): void => {
  const problems: string[] = [];
  const type = schema.getType('EventFilter') as GraphQLInputType;
  coerceInputValue(filter, type, (path, _value, { message }) => {
    problems.push(path.length === 0 ? message : `${path.join('.')}: ${message}`);
  });
  if (problems.length === 0) return;
  throw new CommandRefusedError(
    `The filter is none of the graph:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  );
};

/** The conditions of the command line; all must hold. Throws before anything is sent where one makes no sense. */
export const readFilterOptions = (options: FilterOptions): EventFilter => {
  const { project, feature, environment, type, group, createdBy, from, to, text } = options;
  const given = options.filter === undefined ? {} : readGivenFilter(options.filter);
  const conditions: Record<string, unknown> = {
    ...(project && { project: oneOf(project) }),
    ...(feature && { feature: oneOf(feature) }),
    ...(environment && { environment: oneOf(environment) }),
    ...((type ?? group) && { type: readTypeFilter(type, group) }),
    ...(createdBy && { createdBy: oneOf(createdBy.map(readUserId)) }),
    ...((from ?? to) !== undefined && {
      createdAt: {
        ...(from !== undefined && { from: readMoment('--from', from, 'begin') }),
        ...(to !== undefined && { to: readMoment('--to', to, 'end') }),
      },
    }),
    ...(text !== undefined && { text }),
  };

  const twice = Object.keys(conditions).find((key) => key in given);
  if (twice !== undefined) {
    throw new CommandRefusedError(
      `The condition '${twice}' is given twice: by --filter and by an option of its own.`,
    );
  }
  const filter = { ...given, ...conditions };
  assertFilter(filter);
  return filter;
};
