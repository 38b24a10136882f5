import { Prisma, type Sql } from '../db.js';
import { ITEM_KEYS, type ItemField, type PathStep } from './change-path.js';

/** SQL counterpart of the differences between two JSON values, as far as one path is concerned. */

const column = (alias: string, name: string) => Prisma.raw(`${alias}.${name}`);

const elementsOf = (list: Sql, alias: string) => Prisma.sql`
  jsonb_array_elements(case when jsonb_typeof(${list}) = 'array' then ${list} else '[]' end)
    with ordinality as ${Prisma.raw(`${alias}(item, place)`)}`;

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

const fieldsOf = (step: PathStep): readonly ItemField[] =>
  step.kind === 'item' ? step.fields : [];

/** The value at a path; for a list, the values of its items in order, or null if there are none. */
const valueAt = (value: Sql, steps: readonly PathStep[], depth: number): Sql => {
  const [step, ...rest] = steps;
  if (!step) return value;
  if (step.kind === 'key') {
    return valueAt(Prisma.sql`(${value} -> ${step.key}::text)`, rest, depth);
  }
  const [list, found] = [`list${depth}`, `found${depth}`];
  const item = column(list, 'item');
  return Prisma.sql`(
    select jsonb_agg(${column(found, 'value')} order by ${column(found, 'place')}) from (
      select ${column(list, 'place')}, ${valueAt(item, rest, depth + 1)} as value
      from ${elementsOf(value, list)} where ${hasFields(item, fieldsOf(step))} offset 0
    ) ${Prisma.raw(found)} where ${column(found, 'value')} is not null)`;
};

const isScalar = (item: Sql, key: string) =>
  Prisma.sql`jsonb_typeof(${item} -> ${Prisma.raw(`'${key}'`)}) in ('string', 'number', 'boolean')`;

/** What identifies an item, by each of the possible sets of fields; null if it lacks one of them. */
const identities = (item: Sql) =>
  Prisma.join(
    ITEM_KEYS.map((keys, rank) => {
      const isComplete = Prisma.join(
        keys.map((key) => isScalar(item, key)),
        ' and ',
      );
      const fields = keys.map((key) => Prisma.sql`${item} -> ${Prisma.raw(`'${key}'`)}`);
      return Prisma.sql`(${Prisma.raw(String(rank))}, case when ${isComplete}
        then jsonb_build_array(${Prisma.join(fields)}) end)`;
    }),
  );

/** The items of both lists, matched as `matchItems` does; compared in order if they cannot be matched. */
const itemsDiffer = (
  pair: string,
  step: PathStep,
  rest: readonly PathStep[],
  depth: number,
): Sql => {
  const [before, after] = [column(pair, 'before'), column(pair, 'after')];
  const [items, chosen, older, newer] = ['items', 'chosen', 'older', 'newer'].map((name) =>
    Prisma.raw(`${name}${depth}`),
  ) as [Sql, Sql, Sql, Sql];
  const side = (name: string) => Prisma.sql`(select identity, item from ${items}
    where side = ${Prisma.raw(`'${name}'`)} and rank = (select rank from ${chosen}))`;
  const wanted = (which: Sql) => {
    const item = Prisma.sql`${which}.item`;
    return step.kind === 'items'
      ? item
      : Prisma.sql`(case when ${hasFields(item, fieldsOf(step))} then ${item} end)`;
  };
  return Prisma.sql`(
    with ${items} as materialized (
      select list.side, list.item, keyed.rank, keyed.identity
      from (
        select 'older' as side, item from jsonb_array_elements(${before}) as elements(item)
        union all select 'newer', item from jsonb_array_elements(${after}) as elements(item)
      ) list
      cross join lateral (values ${identities(Prisma.raw('list.item'))}) as keyed(rank, identity)
    ), ${chosen} as materialized (
      select min(rank) as rank from (
        select rank from ${items} group by rank having count(identity) = count(*)
          and count(distinct jsonb_build_array(side, identity)) = count(*)
      ) usable
    )
    select case when (select rank from ${chosen}) is null
      then ${valueAt(before, [step, ...rest], depth)} is distinct from ${valueAt(after, [step, ...rest], depth)}
      else exists (
        select from ${side('older')} ${older} full join ${side('newer')} ${newer} using (identity)
        where ${differsAt(wanted(older), wanted(newer), rest, depth + 1)}
      ) end)`;
};

/** Whether two values differ at a path: whether one of their differences is at it, below it, or covers it. */
export const differsAt = (before: Sql, after: Sql, steps: readonly PathStep[], depth = 0): Sql => {
  const [step, ...rest] = steps;
  if (!step) return Prisma.sql`(${before} is distinct from ${after})`;
  if (step.kind === 'key') {
    const [key, into] = [
      step.key,
      (value: Sql, name: string) => Prisma.sql`(${value} -> ${name}::text)`,
    ];
    return differsAt(into(before, key), into(after, key), rest, depth);
  }
  const pair = `pair${depth}`;
  const [older, newer] = [column(pair, 'before'), column(pair, 'after')];
  // Lists that differ at all differ in their items or in their order.
  const areLists =
    step.kind === 'items' && rest.length === 0
      ? Prisma.sql`true`
      : itemsDiffer(pair, step, rest, depth);
  return Prisma.sql`(
    select case
      when ${older} is not distinct from ${newer} then false
      when jsonb_typeof(${older}) = 'array' and jsonb_typeof(${newer}) = 'array' then ${areLists}
      else ${valueAt(older, steps, depth)} is distinct from ${valueAt(newer, steps, depth)}
    end
    from (select ${before} as before, ${after} as after offset 0) ${Prisma.raw(pair)})`;
};
