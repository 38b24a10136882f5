import type { Sql } from '../world/sql.js';

// Unleash sorts events by timestamp, the gateway by ID (D-SEARCH-1). Pages are comparable only if both orders agree.

/** Spreads the events of the world over the last months and minutes, for date filters and the timeline. */
export const spreadEvents = async (sql: Sql): Promise<void> => {
  await sql.query(
    `with latest as (
       select id, row_number() over (order by id) as place, count(*) over (order by id desc) as from_end
       from events where created_at > now() - interval '1 hour')
     update events set created_at = case
         when place <= 24 then now() - (350 - 10 * place) * interval '1 day'
         when from_end <= 12 then now() - from_end * interval '90 seconds'
         else now() - interval '20 minutes' + place * interval '1 millisecond' end
     from latest where latest.id = events.id`,
  );
};

export const latestEvent = async (sql: Sql): Promise<number> => {
  const { id } = await sql.one<{ id: number }>('select max(id) as id from events');
  return id;
};

/** Gives each later event a distinct timestamp, because the events of a copy are written at the same time. */
export const separateEvents = async (sql: Sql, after: number): Promise<void> => {
  await sql.query(
    `with latest as (
       select id, count(*) over (order by id desc) as from_end from events where id > $1)
     update events set created_at = now() - from_end * interval '1 millisecond'
     from latest where latest.id = events.id`,
    [after],
  );
};
