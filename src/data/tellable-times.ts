import type { ColumnTypeEnum, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { Prisma } from './db.js';
import { wrapAdapter } from './wrap-adapter.js';

/**
 * PostgreSQL knows `infinity`, years before Christ and years of more than four digits; the date-times we answer with do
 * not. Such a time is told as the first or the last moment that they can tell.
 */
const FIRST = '0001-01-01T00:00:00.000+00:00';
const LAST = '9999-12-31T23:59:59.999+00:00';

/** The same moment of a column, or null. */
export const tellable = (column: Prisma.Sql): Prisma.Sql => Prisma.sql`(case
  when ${column} < ${Prisma.raw(`'${FIRST}'`)} then ${Prisma.raw(`'${FIRST}'`)}
  when ${column} > ${Prisma.raw(`'${LAST}'`)} then ${Prisma.raw(`'${LAST}'`)}
  else ${column} end)`;

const ORDINARY = /^\d{4}-[\dT:.+-]+$/;

const tellableText = (value: unknown): unknown => {
  if (typeof value !== 'string' || ORDINARY.test(value)) return value;
  return value.startsWith('-') || value.includes('BC') ? FIRST : LAST;
};

const DATE_TIME: typeof ColumnTypeEnum.DateTime = 10;

/** Lets Prisma, which fails on all other times, see only such as can be told. */
export const withTellableTimes = <Factory extends SqlDriverAdapterFactory>(factory: Factory) =>
  wrapAdapter(factory, (queryable) => {
    const queryRaw = queryable.queryRaw.bind(queryable);
    queryable.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const times = result.columnTypes.flatMap((type, index) =>
        type === DATE_TIME ? [index] : [],
      );
      for (const row of times.length > 0 ? result.rows : []) {
        for (const index of times) row[index] = tellableText(row[index]);
      }
      return result;
    };
  });
