import type { ColumnTypeEnum, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { Prisma } from '../db.js';
import { wrapAdapter } from '../wrap-adapter.js';

/**
 * PostgreSQL supports `infinity`, years BC and years with more than four digits; the DateTime values we return don't.
 * Such timestamps are clamped to this range.
 */
const FIRST = '0001-01-01T00:00:00.000+00:00';
const LAST = '9999-12-31T23:59:59.999+00:00';

/** Clamps a timestamp column. Null stays null. */
export const clampTimestamp = (column: Prisma.Sql): Prisma.Sql => Prisma.sql`(case
  when ${column} < ${Prisma.raw(`'${FIRST}'`)} then ${Prisma.raw(`'${FIRST}'`)}
  when ${column} > ${Prisma.raw(`'${LAST}'`)} then ${Prisma.raw(`'${LAST}'`)}
  else ${column} end)`;

const ORDINARY = /^\d{4}-[\dT:.+-]+$/;

const clampText = (value: unknown): unknown => {
  if (typeof value !== 'string' || ORDINARY.test(value)) return value;
  return value.startsWith('-') || value.includes('BC') ? FIRST : LAST;
};

const DATE_TIME: typeof ColumnTypeEnum.DateTime = 10;

/** Clamps timestamps before Prisma sees them, because it fails on all others. */
export const withClampedTimestamps = <Factory extends SqlDriverAdapterFactory>(factory: Factory) =>
  wrapAdapter(factory, (queryable) => {
    const queryRaw = queryable.queryRaw.bind(queryable);
    queryable.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const times = result.columnTypes.flatMap((type, index) =>
        type === DATE_TIME ? [index] : [],
      );
      for (const row of times.length > 0 ? result.rows : []) {
        for (const index of times) row[index] = clampText(row[index]);
      }
      return result;
    };
  });
