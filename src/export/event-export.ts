import { coerceInputValue, type GraphQLInputType } from 'graphql';
import { BadDataError } from '../domain/errors.js';
import type { EventCriteria } from '../domain/events/event-criteria.js';
import type { EventExport } from '../domain/events/export-events.js';
import type { Operations } from '../domain/operations.js';
import { mapInSlices } from '../domain/work.js';
import { type EventFilterInput, readEventFilter } from '../graphql/schema/event-filter.js';
import { schema } from '../graphql/schema/index.js';
import { toRecord } from './event-record.js';
import { type EventFilter, readFilterOptions } from './filter-options.js';
import { FORMATS, type FormatName } from './formats.js';
import { OptionError, QUERY_PARAMETERS } from './option-error.js';
import type { ExportParameters } from './read-parameters.js';
import { type RunQuery, resolveNames } from './resolve-names.js';

export type ExportOperations = Pick<Operations, 'beginExport' | 'describeEvent'>;

/** The criteria of a valid EventFilter. */
const toCriteria = (filter: EventFilter): EventCriteria => {
  const type = schema.getType('EventFilter') as GraphQLInputType;
  return readEventFilter(coerceInputValue(filter, type) as EventFilterInput, new Date());
};

const toBadData = (error: unknown): unknown =>
  error instanceof OptionError ? BadDataError.of({ message: error.message }) : error;

/** The filter of the parameters, with names as they were given. */
export const readExportFilter = ({ options }: ExportParameters): EventFilter => {
  try {
    return readFilterOptions(options, new Date(), QUERY_PARAMETERS);
  } catch (error) {
    throw toBadData(error);
  }
};

/** Rejects names that neither exist nor occur in the event log, like the command. */
export const resolveExportFilter = async (
  runQuery: RunQuery,
  unresolved: EventFilter,
  { options }: ExportParameters,
): Promise<EventCriteria> => {
  try {
    return toCriteria(await resolveNames(runQuery, unresolved, options, QUERY_PARAMETERS));
  } catch (error) {
    throw toBadData(error);
  }
};

type Written = {
  format: FormatName;
  /** Whether the header of a table is written: not when an export is resumed. */
  hasHeader: boolean;
  pacing: Parameters<EventExport['pages']>[0];
};

/** The bytes of an export. Every chunk ends with a whole line. */
export async function* writeExport(
  { describeEvent }: ExportOperations,
  { pages, end }: EventExport,
  { format, hasHeader, pacing }: Written,
): AsyncGenerator<Buffer, void> {
  const { header, line } = FORMATS[format];
  try {
    if (hasHeader && header !== '') yield Buffer.from(header);
    for await (const { events, actor } of pages(pacing)) {
      yield await writeLines(events, (event) => line(toRecord(event, actor, describeEvent(event))));
    }
  } finally {
    end();
  }
}

/** With other work of the event loop in between. */
const writeLines = async <Item>(
  items: readonly Item[],
  write: (item: Item) => string,
): Promise<Buffer> => Buffer.from((await mapInSlices(items, write)).join(''));
