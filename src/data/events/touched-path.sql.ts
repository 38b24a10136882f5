import { Prisma, type Sql } from '../db.js';
import { literalPattern } from '../sql/conditions.sql.js';
import { type PathStep, parsePath } from './change-path.js';
import { differsAt } from './json-difference.sql.js';
import { isReadable, readPayload } from './readable-payload.sql.js';
import { MOVE_TYPE, STATE_TYPES, UNEVEN_TYPES } from './state-types.js';
import { SUBJECT_RULES } from './subject-rules.js';
import { SWITCHES } from './switches.js';

const sharedWith = (one: Sql, other: Sql) => Prisma.sql`
  (select coalesce(jsonb_object_agg(part.key, part.value), '{}')
    from jsonb_each(case when jsonb_typeof(${one}) = 'object' then ${one} else '{}' end) part
    where ${other} -> part.key is not null)`;

/** By type, the state before or after each switch. */
const switchStates = (isAfter: boolean): string =>
  JSON.stringify(
    Object.fromEntries(
      [...SWITCHES].map(([type, { key, value }]) => [type, { [key]: value === isAfter }]),
    ),
  );

/** Other names of the two projects of a moved feature: the keys under which its event records them. */
const MOVE_KEYS = ['project', 'oldProject', 'newProject'];

const movedTo = (project: Sql) =>
  Prisma.sql`jsonb_build_object(${Prisma.join(MOVE_KEYS.map((key) => Prisma.sql`${Prisma.raw(`'${key}'`)}, ${project}`))})`;

/** Where a state comes from if the payloads are not the two states. */
const BEFORE = { project: 'oldProject', switches: switchStates(false) };
const AFTER = { project: 'newProject', switches: switchStates(true) };

/** SQL counterpart of `statesWithin`, for the states that the event itself contains. */
const stateOf = (own: Sql, other: Sql, { project, switches }: typeof BEFORE) => Prisma.sql`
  case
    when e.type = any(${[...SWITCHES.keys()]}::text[]) and (recorded.before is null or recorded.after is null)
      then (${switches}::text)::jsonb -> e.type::text
    when e.type = any(${UNEVEN_TYPES}::text[]) and jsonb_typeof(recorded.before) = 'object'
      and jsonb_typeof(recorded.after) = 'object' then ${sharedWith(own, other)}
    when e.type = ${MOVE_TYPE} and recorded.before is null and recorded.after -> 'oldProject' is not null
      and recorded.after -> 'newProject' is not null
      then ${movedTo(Prisma.sql`recorded.after -> ${project}::text`)}
    else ${own}
  end`;

/**
 * SQL counterpart of the cases in which an event has changes. An update that records only the new state counts: its
 * previous state may be in an earlier event.
 */
const HAS_CHANGES = Prisma.sql`
  coalesce(case
    when recorded.before is not null and recorded.after is not null then true
    when e.type = any(${[...SWITCHES.keys()]}::text[]) then true
    when e.type = ${MOVE_TYPE} then recorded.before is null and recorded.after -> 'oldProject' is not null
      and recorded.after -> 'newProject' is not null
    when e.type ~ ${STATE_TYPES.removal} and e.type <> all(${STATE_TYPES.counts}::text[]) then true
    when recorded.after is null then false
    else e.type ~ ${STATE_TYPES.addition} or (e.type = any(${[...SUBJECT_RULES.keys()]}::text[])
      and jsonb_typeof(recorded.after) = 'object')
  end, false)`;

const PLAIN_WORD = /^[\w -]+$/;

/** Avoids parsing payloads that do not contain the last key of the path. */
const mayTouch = (steps: readonly PathStep[]): Sql => {
  const plainStep = steps.findLast((step) => step.kind === 'key' && PLAIN_WORD.test(step.key));
  if (plainStep?.kind !== 'key') return Prisma.sql`true`;

  const pattern = `%"${literalPattern(plainStep.key)}"%`;
  const types = [...SWITCHES].flatMap(([type, { key }]) => (key === plainStep.key ? [type] : []));
  return Prisma.sql`(coalesce(e.data::text like ${pattern}, false) or coalesce(e.pre_data::text like ${pattern}, false)
    or coalesce(e.data::text like ${String.raw`%\\u%`}, false) or e.type = any(${[MOVE_TYPE, ...types]}::text[]))`;
};

/**
 * Matches events (alias `e`) whose two states differ at the path; of updates that record only the new state, those
 * whose state has the path. Without a valid path, none.
 */
export const touchedPath = (path: string): Sql => {
  const steps = parsePath(path);
  if (!steps) return Prisma.sql`false`;

  const [older, newer] = [Prisma.sql`recorded.before`, Prisma.sql`recorded.after`];
  const before = stateOf(older, newer, BEFORE);
  const after = stateOf(newer, older, AFTER);
  const text = Prisma.sql`e.data::text`;
  return Prisma.sql`(case
    when not ${mayTouch(steps)} then false
    when e.data is not null and not ${isReadable(text)} then false
    else (
      select state.has_changes and ${differsAt(Prisma.sql`state.before`, Prisma.sql`state.after`, steps)}
      from (
        select ${before} as before, ${after} as after, ${HAS_CHANGES} as has_changes
        from (
          select nullif(e.pre_data::jsonb, 'null') as before, nullif(${readPayload(text)}, 'null') as after offset 0
        ) recorded offset 0
      ) state)
    end)`;
};
