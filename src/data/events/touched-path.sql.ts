import { Prisma, type Sql } from '../db.js';
import { literalPattern } from '../sql/conditions.sql.js';
import { type ItemField, type PathStep, parsePath } from './change-path.js';
import { isReadable, readPayload } from './readable-payload.sql.js';

/** A moved feature: one payload contains both projects. */
export const MOVE_TYPE = 'feature-project-change';

/**
 * Types that record one state in more detail than the other, such as a whole project next to the fields of a request.
 * Only keys that both states have are compared.
 */
export const UNEVEN_TYPES: readonly string[] = [
  'project-updated',
  'context-field-updated',
  'setting-updated',
];

const column = (alias: string, name: string) => Prisma.raw(`${alias}.${name}`);

const nonNullField = (item: Sql, name: string) =>
  Prisma.sql`nullif(${item} -> ${Prisma.raw(`'${name}'`)}, 'null')`;

/** Identifies items when a step means all of them: as a change does, or else by position. */
const identityOf = (item: Sql, position: Sql) =>
  Prisma.sql`coalesce(${nonNullField(item, 'id')}, ${nonNullField(item, 'name')},
    case when ${nonNullField(item, 'contextName')} is not null
      then jsonb_build_array(${item} -> 'contextName', ${item} -> 'operator') end,
    ${nonNullField(item, 'value')}, to_jsonb(${position}))`;

/** Distinguishes items with the same identity; items that share this too are numbered by position. */
const furtherIdentityOf = (item: Sql) =>
  Prisma.sql`jsonb_build_array(${item} -> 'name', ${item} -> 'environment', ${item} -> 'inverted', ${item} -> 'type')`;

const hasFields = (item: Sql, fields: readonly ItemField[]) =>
  Prisma.join(
    [
      Prisma.sql`true`,
      ...fields.map(
        ([name, value]) =>
          Prisma.sql`${item} -> ${name}::text = (${JSON.stringify(value)}::text)::jsonb`,
      ),
    ],
    ' and ',
  );

/** The value at a path; for several items, all their values, each with the identity of its item. */
const valueAt = (value: Sql, steps: readonly PathStep[], depth = 0): Sql => {
  const [step, ...rest] = steps;
  if (!step) return value;
  if (step.kind === 'key') {
    return valueAt(Prisma.sql`(${value} -> ${step.key}::text)`, rest, depth);
  }
  const list = `list${depth}`;
  const item = column(list, 'item');
  const found = column(`found${depth}`, 'value');
  const whose = column(`found${depth}`, 'whose');
  return Prisma.sql`(
    select jsonb_agg(jsonb_build_array(${whose}, ${found}) order by ${whose}, ${found})
    from (
      select value, case when count(*) over (partition by identity) = 1 then identity
        else jsonb_build_array(identity, further, row_number() over (partition by identity, further order by place))
        end as whose
      from (
        select place, ${identityOf(item, column(list, 'place'))} as identity, ${furtherIdentityOf(item)} as further,
          ${valueAt(item, rest, depth + 1)} as value
        from jsonb_array_elements(case when jsonb_typeof(${value}) = 'array' then ${value} else '[]' end)
          with ordinality as ${Prisma.raw(`${list}(item, place)`)}
        where ${hasFields(item, step.kind === 'item' ? step.fields : [])} offset 0
      ) recorded
    ) ${Prisma.raw(`found${depth}`)} where ${found} is not null)`;
};

const sharedWith = (one: Sql, other: Sql) => Prisma.sql`
  (select coalesce(jsonb_object_agg(part.key, part.value), '{}')
    from jsonb_each(case when jsonb_typeof(${one}) = 'object' then ${one} else '{}' end) part
    where ${other} -> part.key is not null)`;

/** SQL counterpart of `statesWithin`, for the states that the event itself contains. */
const stateOf = (own: Sql, other: Sql, moved: string) => Prisma.sql`
  case
    when e.type = any(${UNEVEN_TYPES}::text[]) and jsonb_typeof(recorded.before) = 'object'
      and jsonb_typeof(recorded.after) = 'object' then ${sharedWith(own, other)}
    when e.type = ${MOVE_TYPE} and recorded.before is null and recorded.after -> 'oldProject' is not null
      and recorded.after -> 'newProject' is not null
      then jsonb_build_object('project', recorded.after -> ${moved}::text)
    else ${own}
  end`;

const PLAIN_WORD = /^[\w -]+$/;

/** Avoids parsing payloads that do not contain the last key of the path. */
const mayTouch = (steps: readonly PathStep[]): Sql => {
  const plainStep = steps.findLast((step) => step.kind === 'key' && PLAIN_WORD.test(step.key));
  if (plainStep?.kind !== 'key') return Prisma.sql`true`;

  const pattern = `%"${literalPattern(plainStep.key)}"%`;
  return Prisma.sql`(e.data::text like ${pattern} or e.pre_data::text like ${pattern}
    or e.data::text like ${String.raw`%\\u%`} or e.type = ${MOVE_TYPE})`;
};

/**
 * Matches events (alias `e`) whose two states differ at the path; with one state only, those whose state has the
 * path. Without a valid path, none.
 */
export const touchedPath = (path: string): Sql => {
  const steps = parsePath(path);
  if (!steps) return Prisma.sql`false`;

  const before = Prisma.sql`recorded.before`;
  const after = Prisma.sql`recorded.after`;
  const text = Prisma.sql`e.data::text`;
  return Prisma.sql`(case
    when not ${mayTouch(steps)} then false
    when e.data is not null and not ${isReadable(text)} then false
    else (
      select ${valueAt(Prisma.sql`state.before`, steps)} is distinct from ${valueAt(Prisma.sql`state.after`, steps)}
      from (
        select ${stateOf(before, after, 'oldProject')} as before, ${stateOf(after, before, 'newProject')} as after
        from (
          select nullif(e.pre_data::jsonb, 'null') as before, nullif(${readPayload(text)}, 'null') as after offset 0
        ) recorded offset 0
      ) state)
    end)`;
};
