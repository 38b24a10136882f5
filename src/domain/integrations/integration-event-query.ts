import { condition } from '../../data/conditions.js';
import { type Db, type IntegrationEvent, Prisma } from '../../data/db.js';
import { parseExactly } from '../../data/parse-exactly.js';
import { milliseconds, parseRows, readJson } from '../../data/read-rows.js';
import { inVisibleProject } from '../../data/visible-projects.js';
import type { Actor } from '../actor.js';
import { assertText } from '../text.js';

/** The record of one delivery of an event to an integration. */
export type IntegrationEventRow = IntegrationEvent;

/** States of deliveries; types, features, projects and environments of their events, as delivered. */
type Listed = 'states' | 'types' | 'features' | 'projects' | 'environments';

export type IntegrationEventCriteria = {
  /** Only these; with `OtherThan`, all but these, including those without a value. */
  [List in Listed | `${Listed}OtherThan`]?: readonly string[];
} & {
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  before?: Date;
};

export const INTEGRATION_EVENT_COLUMNS = Prisma.sql`d.id::text, d.integration_id as "integrationId",
  ${milliseconds(Prisma.sql`d.created_at`)} as "createdAt", d.state, d.state_details as "stateDetails",
  d.event, d.details`;

/** Returns deliveries in the order of the select. */
export const readDeliveries = async (
  db: Db,
  select: Prisma.Sql,
  parse: (json: string) => unknown = parseExactly,
): Promise<IntegrationEventRow[]> => {
  const rows = await parseRows<
    Omit<IntegrationEventRow, 'id' | 'createdAt'> & { id: string; createdAt: number }
  >(await readJson(db, select), parse);
  return rows.map((row) => ({
    ...row,
    id: BigInt(row.id),
    createdAt: new Date(row.createdAt),
  }));
};

type DeliveredKey = 'id' | 'type' | 'featureName' | 'project' | 'environment';

/** A value of the event in a delivery (alias `d`); null also if the event is not an object. */
export const deliveredValue = (key: DeliveredKey): Prisma.Sql =>
  Prisma.sql`(d.event -> ${Prisma.raw(`'${key}'`)})`;

/** The same as text; values of other types are not shown either. */
const deliveredText = (key: DeliveredKey): Prisma.Sql =>
  Prisma.sql`(case jsonb_typeof(${deliveredValue(key)}) when 'string' then ${deliveredValue(key)} #>> '{}' end)`;

/** If projects are hidden from the actor, so are deliveries of their events; administrators see all others. */
export const shownDeliveries = (actor: Actor): Prisma.Sql =>
  inVisibleProject(actor, deliveredText('project'));

const LISTS: readonly { list: Listed; what: string; column: Prisma.Sql }[] = [
  { list: 'states', what: 'A state', column: Prisma.sql`d.state` },
  { list: 'types', what: 'An event type', column: deliveredText('type') },
  { list: 'features', what: 'A feature name', column: deliveredText('featureName') },
  { list: 'projects', what: 'A project id', column: deliveredText('project') },
  { list: 'environments', what: 'An environment', column: deliveredText('environment') },
];

/** Rejects texts that PostgreSQL cannot store, since no delivery could match them. */
export const assertDeliveryCriteria = (criteria: IntegrationEventCriteria): void => {
  for (const { list, what } of LISTS) {
    const values = [...(criteria[list] ?? []), ...(criteria[`${list}OtherThan`] ?? [])];
    assertText(`${what} of the filter`, ...values);
  }
};

/** Matches deliveries (alias `d`) that meet the criteria and that the actor may see. */
export const matchingDeliveries = (
  actor: Actor,
  criteria: IntegrationEventCriteria,
): Prisma.Sql => {
  const conditions = [
    shownDeliveries(actor),
    ...condition(criteria.from, (from) => Prisma.sql`d.created_at >= ${from}`),
    ...condition(criteria.before, (before) => Prisma.sql`d.created_at < ${before}`),
    ...LISTS.flatMap(({ list, column }) => {
      const isAmong = (values: readonly string[]) => Prisma.sql`${column} = any(${values}::text[])`;
      return [
        ...condition(criteria[list], isAmong),
        ...condition(
          criteria[`${list}OtherThan`],
          (values) => Prisma.sql`(${isAmong(values)}) is not true`,
        ),
      ];
    }),
  ];
  return Prisma.join(conditions, ' and ');
};
