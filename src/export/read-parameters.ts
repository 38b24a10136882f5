import { BadDataError } from '../domain/errors.js';
import type { FilterOptions } from './filter-options.js';
import type { FormatName } from './formats.js';

/** The parameters of an export: the filter options of the command, and where to start and end. */
export type ExportParameters = {
  options: FilterOptions;
  format: FormatName;
  /** Starts after this event ID. Null starts at the beginning. */
  after: number | null;
  /** Ends with this event ID. Default: the newest. */
  upTo?: number | undefined;
};

export type PathFormat = 'ndjson' | 'csv';

const LISTS = {
  project: 'project',
  feature: 'feature',
  environment: 'environment',
  type: 'type',
  category: 'category',
  'created-by': 'createdBy',
} as const satisfies Record<string, keyof FilterOptions>;

const TEXTS = {
  from: 'from',
  before: 'before',
  text: 'text',
  filter: 'filter',
} as const satisfies Record<string, keyof FilterOptions>;

const ID_NAMES: readonly string[] = ['after', 'up-to'];
const NAMES: readonly string[] = [...Object.keys(LISTS), ...Object.keys(TEXTS), ...ID_NAMES, 'raw'];

/** Each name may take several statements to find. */
const MAX_VALUES = 50;
const LARGEST_ID = 2 ** 31 - 1;

const reject = (name: string, message: string): never => {
  throw BadDataError.of({ message, path: `/query/${name}` });
};

const assertKnown = (query: URLSearchParams): void => {
  for (const [name, value] of query) {
    if (!NAMES.includes(name)) {
      reject(name, `There is no parameter '${name}'. Parameters: ${NAMES.join(', ')}.`);
    }
    if (value === '') reject(name, `'${name}' must not be empty. Omit it instead.`);
  }
  const total = Object.keys(LISTS).reduce((sum, name) => sum + query.getAll(name).length, 0);
  if (total > MAX_VALUES) {
    reject(
      'filter',
      `An export can have at most ${MAX_VALUES} values in its parameters (got ${total}). Use 'filter' for longer lists.`,
    );
  }
};

const readOnce = (query: URLSearchParams, name: string): string | undefined => {
  const [value, ...more] = query.getAll(name);
  if (more.length > 0) reject(name, `'${name}' can be given once (got ${more.length + 1}).`);
  return value;
};

const readId = (query: URLSearchParams, name: string): number | undefined => {
  const text = readOnce(query, name);
  if (text === undefined) return undefined;
  const id = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (id <= LARGEST_ID) return id;
  return reject(name, `'${name}' must be an event ID (got '${text.slice(0, 100)}').`);
};

const readFormat = (query: URLSearchParams, format: PathFormat): FormatName => {
  const raw = readOnce(query, 'raw');
  if (raw === undefined || raw === 'false') return format;
  if (raw !== 'true') reject('raw', `'raw' must be true or false (got '${raw.slice(0, 100)}').`);
  if (format !== 'csv') reject('raw', "'raw' applies to CSV only: NDJSON is always as recorded.");
  return 'csv-raw';
};

const readLists = (query: URLSearchParams): FilterOptions =>
  Object.fromEntries(
    Object.entries(LISTS)
      .map(([name, option]) => [option, query.getAll(name)] as const)
      .filter(([, values]) => values.length > 0),
  );

const readTexts = (query: URLSearchParams): FilterOptions =>
  Object.fromEntries(
    Object.entries(TEXTS)
      .map(([name, option]) => [option, readOnce(query, name)] as const)
      .filter(([, value]) => value !== undefined),
  );

/** Reads a query string. A misspelled parameter is an error: it would export more than requested. */
export const readParameters = (search: string, pathFormat: PathFormat): ExportParameters => {
  const query = new URLSearchParams(search);
  assertKnown(query);
  return {
    options: { ...readLists(query), ...readTexts(query) },
    format: readFormat(query, pathFormat),
    after: readId(query, 'after') ?? null,
    upTo: readId(query, 'up-to'),
  };
};
