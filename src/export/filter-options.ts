import { coerceInputValue, type GraphQLInputType } from 'graphql';
import { excessOf, OPERATION_LIMITS } from '../graphql/document-limits.js';
import { schema } from '../graphql/schema/index.js';
import { COMMAND_OPTIONS, OptionError, type OptionNames } from './option-error.js';
import { isRelative, parseTimestamp } from './parse-timestamp.js';
import { readTypeFilter } from './read-event-types.js';

/** The `filter` variable of the operations: an EventFilter. */
export type EventFilter = Readonly<Record<string, unknown>>;

export type FilterOptions = {
  project?: string[];
  feature?: string[];
  environment?: string[];
  type?: string[];
  category?: string[];
  createdBy?: string[];
  from?: string;
  before?: string;
  text?: string;
  filter?: string;
};

const oneOf = <Value>(values: readonly Value[]): EventFilter =>
  values.length === 1 ? { is: values[0] } : { anyOf: values };

const isUserId = (text: string): boolean => /^-?\d+$/.test(text);

const readUserId = (text: string, { createdBy }: OptionNames): number => {
  const id = Number(text);
  if (Math.abs(id) < 2 ** 31) return id;
  throw new OptionError(`${createdBy}: '${text}' is out of range for a user ID.`);
};

/** The authors that are user IDs. */
export const authorIds = ({ createdBy = [] }: FilterOptions): number[] =>
  createdBy.filter(isUserId).map(Number);

/** The authors that are names. */
export const recordedNames = ({ createdBy = [] }: FilterOptions): string[] =>
  createdBy.filter((text) => !isUserId(text));

const readCreatedBy = (options: FilterOptions, optionNames: OptionNames): EventFilter => {
  const ids = (options.createdBy ?? [])
    .filter(isUserId)
    .map((text) => readUserId(text, optionNames));
  const names = recordedNames(options);
  const byId = ids.length > 0 && { createdByUserId: oneOf(ids) };
  const byName = names.length > 0 && { createdBy: oneOf(names) };
  return byId && byName ? { or: [byId, byName] } : { ...byId, ...byName };
};

const readCreatedAt = (
  { from, before }: FilterOptions,
  optionNames: OptionNames,
  now: Date,
): EventFilter => {
  if ((from ?? before) === undefined) return {};
  return {
    createdAt: {
      ...(from !== undefined && { from: parseTimestamp(optionNames.from, from, now) }),
      ...(before !== undefined && { before: parseTimestamp(optionNames.before, before, now) }),
    },
  };
};

const readExplicitFilter = (json: string, { filter }: OptionNames): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Reported below.
  }
  throw new OptionError(
    `${filter} must be an EventFilter as a JSON object, such as '{"projectId": {"is": "default"}}'.`,
  );
};

/** Why a filter does not match its type. As in an operation, only the first reasons: each one searches for similar names. */
const problemsOf = (filter: EventFilter): string[] => {
  const problems: string[] = [];
  const type = schema.getType('EventFilter') as GraphQLInputType;
  const enough = new Error();
  try {
    coerceInputValue(filter, type, (path, _value, { message }) => {
      problems.push(path.length === 0 ? message : `${path.join('.')}: ${message}`);
      if (problems.length >= OPERATION_LIMITS.errors) throw enough;
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
  return problems;
};

const assertFilter = (filter: EventFilter, optionNames: OptionNames): void => {
  const excess = excessOf(filter, { what: optionNames.filter });
  if (excess !== null) throw new OptionError(excess);
  const problems = problemsOf(filter);
  if (problems.length === 0) return;
  throw new OptionError(
    `${optionNames.filter} does not match the type EventFilter of the schema:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  );
};

/** Combines the conditions of the options; all must match. Throws on invalid ones before anything is read. */
export const readFilterOptions = (
  options: FilterOptions,
  now = new Date(),
  optionNames = COMMAND_OPTIONS,
): EventFilter => {
  const { project, feature, environment, type, category, text } = options;
  const explicitFilter =
    options.filter === undefined ? {} : readExplicitFilter(options.filter, optionNames);
  const conditions: Record<string, unknown> = {
    ...(project && { projectId: oneOf(project) }),
    ...(feature && { featureName: oneOf(feature) }),
    ...(environment && { environmentName: oneOf(environment) }),
    ...((type ?? category) && { type: readTypeFilter(type, category) }),
    ...readCreatedBy(options, optionNames),
    ...readCreatedAt(options, optionNames, now),
    ...(text !== undefined && { text }),
  };

  const duplicate = Object.keys(conditions).find((key) => key in explicitFilter);
  if (duplicate !== undefined) {
    throw new OptionError(
      `The condition '${duplicate}' is given twice: in ${optionNames.filter} and on its own.`,
    );
  }
  const filter = { ...explicitFilter, ...conditions };
  assertFilter(filter, optionNames);
  return filter;
};

/** Options that a later run must add to get the same filter: relative timestamps as absolute ones. */
export const absoluteTimes = ({ from, before }: FilterOptions, filter: EventFilter): string => {
  const range = (filter['createdAt'] ?? {}) as { from?: string; before?: string };
  return [
    ...(from !== undefined && isRelative(from) ? [`--from ${range.from}`] : []),
    ...(before !== undefined && isRelative(before) ? [`--before ${range.before}`] : []),
  ].join(' ');
};

/** The filter with relative timestamps as given, to recognize the same command in a later run. */
export const withRelativeTimes = (
  filter: EventFilter,
  { from, before }: FilterOptions,
): EventFilter => {
  if ((from ?? before) === undefined) return filter;
  return {
    ...filter,
    createdAt: {
      ...(filter['createdAt'] as EventFilter),
      ...(from !== undefined && isRelative(from) && { from }),
      ...(before !== undefined && isRelative(before) && { before }),
    },
  };
};
