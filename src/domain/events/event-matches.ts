import { createHash } from 'node:crypto';
import { type Db, Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import {
  assertEventCriteria,
  type EventCriteria,
  isNarrow,
  readsAuthors,
  readsPayloads,
  textsOfAll,
} from './event-criteria.js';
import { matchingEvents } from './event-query.js';
import { type Known, type LogMemory, type LogQuestion, newerThan } from './log-memory.js';
import { LOG_MARK } from './settled-log.js';

/** How many events meet the criteria, and between which ids they lie. */
export type Matches = {
  count: number;
  oldest: number | null;
  newest: number | null;
  /** All of them, newest first, where a text was found in a few events only. */
  ids: readonly number[] | null;
};

/** The matches of a text are remembered one by one as long as they are no more than that. */
const FEW = 10_000;

const NOTHING: Matches = { count: 0, oldest: null, newest: null, ids: null };

const keyOf = ({ seesAllEvents }: Actor, criteria: EventCriteria): string =>
  createHash('sha256')
    .update(JSON.stringify([seesAllEvents, criteria]))
    .digest('base64');

/** Any index that finds a text inside of others will do; the one we recommend is of this kind. */
const hasTextIndex = async (db: Db): Promise<boolean> => {
  const [{ has }] = await db.$queryRaw<[{ has: boolean }]>(Prisma.sql`
    select exists (
      select from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
      where i.indrelid = 'events'::regclass and i.indisvalid and a.amname in ('gin', 'gist')
    ) as has`);
  return has;
};

/** Such an index knows pieces of three letters; where a match may do without a text it is of no use. */
const needsScan = async (db: Db, criteria: EventCriteria): Promise<boolean> =>
  !isNarrow(criteria) &&
  (textsOfAll(criteria).every((text) => text.length < 3) || !(await hasTextIndex(db)));

const mergeIds = (older: Matches['ids'], newer: Matches['ids']): Matches['ids'] => {
  if (!older || !newer || older.length + newer.length > FEW) return null;
  return newer.length === 0 ? older : [...newer, ...older];
};

/** What can be remembered of a search: nothing of it depends on the page, nor on who asks beyond what he may see. */
export const matchesOf = (db: Db, actor: Actor, criteria: EventCriteria): LogQuestion<Matches> => {
  const isText = readsPayloads(criteria);
  const ids = isText
    ? Prisma.sql`(array_agg(e.id order by e.id desc))[:${FEW + 1}]`
    : Prisma.sql`null`;
  return {
    key: keyOf(actor, criteria),
    read: async (range) => {
      const [{ matches }] = await db.$queryRaw<[{ matches: string }]>(Prisma.sql`
        select json_build_object('count', count(*), 'oldest', min(e.id), 'newest', max(e.id), 'ids', ${ids})::text
          as matches from events e where ${matchingEvents(actor, criteria)} and ${range}`);
      const found: Matches = JSON.parse(matches);
      if (isText && found.count <= FEW) return { ...found, ids: found.ids ?? [] };
      return { ...found, ids: null };
    },
    merge: (older, newer) => ({
      count: older.count + newer.count,
      oldest: older.oldest ?? newer.oldest,
      newest: newer.newest ?? older.newest,
      ids: mergeIds(older.ids, newer.ids),
    }),
    nothing: isText ? { ...NOTHING, ids: [] } : NOTHING,
    weigh: (matches) => matches.ids?.length ?? 0,
    ...(isText && { needsScan: () => needsScan(db, criteria) }),
    readsAuthors: readsAuthors(criteria),
  };
};

/** Tables for a page of matches: `newer` tells of those that are newer than what is known, `hits` are those of a text. */
export const newerMatches = (
  actor: Actor,
  criteria: EventCriteria,
  known: Known<Matches>,
): Prisma.Sql => {
  const found = Prisma.sql`from events e where ${matchingEvents(actor, criteria)} and ${newerThan(known)}`;
  return readsPayloads(criteria)
    ? Prisma.sql`with hits as materialized (select e.id ${found}),
        newer as materialized (select count(*) as count, max(id) as newest from hits)`
    : Prisma.sql`with newer as materialized (select count(*) as count, max(e.id) as newest ${found})`;
};

/** All matches, where they are known one by one. */
export const fewMatches = ({ value }: Known<Matches>): Prisma.Sql | null =>
  value.ids && Prisma.sql`(select unnest(${value.ids}::int[]) as id union all select id from hits)`;

/** A range of ids that holds every match. */
export const withinMatches = ({ value, upTo }: Known<Matches>): Prisma.Sql => {
  const first = value.oldest ?? upTo;
  return Prisma.sql`e.id <= coalesce(newer.newest, ${value.newest}::int)
    ${first === null ? Prisma.empty : Prisma.sql`and e.id >= ${first}`}`;
};

/** How many events match, exactly. */
export const countEvents = (
  db: Db,
  memory: LogMemory,
  actor: Actor,
  criteria: EventCriteria,
): Promise<number> => {
  assertEventCriteria(criteria);

  return memory.ask(matchesOf(db, actor, criteria), async (known) => {
    const [row] = await db.$queryRaw<[{ count: bigint; mark: string }]>(Prisma.sql`
      select count(*) as count, ${LOG_MARK} as mark from events e
      where ${matchingEvents(actor, criteria)} and ${newerThan(known)}`);
    return { mark: row.mark, answer: known.value.count + Number(row.count) };
  });
};
