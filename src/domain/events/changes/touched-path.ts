import { Prisma } from '../../../data/db.js';
import { BadDataError } from '../../errors.js';
import { assertText, literalPattern } from '../../text.js';
import { type ItemField, type PathStep, parsePath } from './change-path.js';
import { MOVE, UNEVEN_TYPES } from './event-states.js';
import { isReadable, readPayload } from './readable-payload.js';

const LONGEST_PATH = 500;
const MOST_STEPS = 20;

const readPath = (path: string): PathStep[] => {
  if (path.length > LONGEST_PATH) {
    const message = `'touches' takes at most ${LONGEST_PATH} characters; ${path.length} were given.`;
    throw BadDataError.of({ message });
  }
  assertText(`'touches'`, path);
  const steps = parsePath(path);
  if (!steps) {
    const message = `'touches' is not a path such as parameters.rollout or constraints[contextName=userId,operator=IN].values.`;
    throw BadDataError.of({ message });
  }
  if (steps.length > MOST_STEPS) {
    const message = `'touches' takes at most ${MOST_STEPS} steps; ${steps.length} were given.`;
    throw BadDataError.of({ message });
  }
  for (const step of steps) {
    if (step.kind === 'key') assertText(`'touches'`, step.key);
    if (step.kind === 'item') assertText(`'touches'`, ...step.fields.flat().map(String));
  }
  return steps;
};

const column = (alias: string, name: string) => Prisma.raw(`${alias}.${name}`);

const telling = (item: Prisma.Sql, name: string) =>
  Prisma.sql`nullif(${item} -> ${Prisma.raw(`'${name}'`)}, 'null')`;

/** What items are told apart by when all of a list are meant: what a change calls them, or else their place. */
const identityOf = (item: Prisma.Sql, place: Prisma.Sql) =>
  Prisma.sql`coalesce(${telling(item, 'id')}, ${telling(item, 'name')},
    case when ${telling(item, 'contextName')} is not null
      then jsonb_build_array(${item} -> 'contextName', ${item} -> 'operator') end,
    ${telling(item, 'value')}, to_jsonb(${place}))`;

/** What tells those apart that share an identity; whoever shares this too is told by his place among them. */
const furtherIdentityOf = (item: Prisma.Sql) =>
  Prisma.sql`jsonb_build_array(${item} -> 'name', ${item} -> 'environment', ${item} -> 'inverted', ${item} -> 'type')`;

const hasFields = (item: Prisma.Sql, fields: readonly ItemField[]) =>
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

/** What lies at a path inside a value; of several items all that is there, with the item each belongs to. */
const valueAt = (value: Prisma.Sql, steps: readonly PathStep[], depth = 0): Prisma.Sql => {
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
      ) told
    ) ${Prisma.raw(`found${depth}`)} where ${found} is not null)`;
};

const sharedWith = (one: Prisma.Sql, other: Prisma.Sql) => Prisma.sql`
  (select coalesce(jsonb_object_agg(part.key, part.value), '{}')
    from jsonb_each(case when jsonb_typeof(${one}) = 'object' then ${one} else '{}' end) part
    where ${other} -> part.key is not null)`;

/** The state that `statesWithin` gives for the same event, as far as the event carries it. */
const stateOf = (own: Prisma.Sql, other: Prisma.Sql, moved: string) => Prisma.sql`
  case
    when e.type = any(${UNEVEN_TYPES}::text[]) and jsonb_typeof(told.before) = 'object'
      and jsonb_typeof(told.after) = 'object' then ${sharedWith(own, other)}
    when e.type = ${MOVE} and told.before is null and told.after -> 'oldProject' is not null
      and told.after -> 'newProject' is not null
      then jsonb_build_object('project', told.after -> ${moved}::text)
    else ${own}
  end`;

const PLAIN_WORD = /^[\w -]+$/;

/** Spares reading payloads that do not even hold the last word of the path. */
const mayTouch = (steps: readonly PathStep[]): Prisma.Sql => {
  const word = steps.findLast((step) => step.kind === 'key' && PLAIN_WORD.test(step.key));
  if (word?.kind !== 'key') return Prisma.sql`true`;

  const pattern = `%"${literalPattern(word.key)}"%`;
  return Prisma.sql`(e.data::text like ${pattern} or e.pre_data::text like ${pattern}
    or e.data::text like ${String.raw`%\\u%`} or e.type = ${MOVE})`;
};

/**
 * The events (aliased `e`) for which what lies at the path differs between the two states they carry; of those that
 * carry one state only, the events whose state has the path.
 */
export const touchedPath = (path: string): Prisma.Sql => {
  const steps = readPath(path);
  const before = Prisma.sql`told.before`;
  const after = Prisma.sql`told.after`;
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
        ) told offset 0
      ) state)
    end)`;
};
