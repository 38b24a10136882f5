import { condition } from '../../data/conditions.js';
import { type Db, type IntegrationEvent, Prisma } from '../../data/db.js';
import { milliseconds, parseRows, readJson } from '../../data/read-rows.js';
import type { Actor } from '../actor.js';
import { isObject } from '../json.js';
import { parseExactly } from '../parse-exactly.js';
import { assertText } from '../text.js';

/** The record of one delivery of an event to an integration. */
export type IntegrationEventRow = IntegrationEvent;

/** How deliveries ended; and types, features, projects and environments of their events, as delivered. */
type Listed = 'states' | 'types' | 'features' | 'projects' | 'environments';

export type IntegrationEventCriteria = {
  /** Only these; with `OtherThan` all but these, also those without any. */
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

/** The deliveries a select of these columns finds, in its order. */
export const readDeliveries = async (
  db: Db,
  select: Prisma.Sql,
  parse: (json: string) => unknown = parseExactly,
): Promise<IntegrationEventRow[]> => {
  const rows = parseRows<
    Omit<IntegrationEventRow, 'id' | 'createdAt'> & { id: string; createdAt: number }
  >(await readJson(db, select), parse);
  return rows.map((row) => ({
    ...row,
    id: BigInt(row.id),
    createdAt: new Date(row.createdAt),
  }));
};

type DeliveredKey = 'id' | 'type' | 'featureName' | 'project' | 'environment';

/** A value of the delivered event of a delivery aliased `d`; null also where that event is no object. */
export const deliveredValue = (key: DeliveredKey): Prisma.Sql =>
  Prisma.sql`(d.event -> ${Prisma.raw(`'${key}'`)})`;

/** The same as a text; what is none is not shown of the event either. */
const deliveredText = (key: DeliveredKey): Prisma.Sql =>
  Prisma.sql`(case jsonb_typeof(${deliveredValue(key)}) when 'string' then ${deliveredValue(key)} #>> '{}' end)`;

/** As in event search, an event of no project is shown to root administrators only, and found by nobody else. */
const shownText =
  (key: DeliveredKey) =>
  ({ seesAllEvents }: Actor): Prisma.Sql =>
    seesAllEvents
      ? deliveredText(key)
      : Prisma.sql`(case when ${deliveredText('project')} is not null then ${deliveredText(key)} end)`;

/** Whether the actor may see an event that was delivered. */
export const showsEvent = ({ seesAllEvents }: Actor, event: unknown): boolean =>
  seesAllEvents || (isObject(event) && typeof event['project'] === 'string');

/** The delivery without its event, and without what was sent of it, where the actor may not see that event. */
export const asSeenBy =
  (actor: Actor) =>
  (delivery: IntegrationEventRow): IntegrationEventRow =>
    showsEvent(actor, delivery.event) ? delivery : { ...delivery, event: null, details: {} };

const LISTS: readonly { list: Listed; what: string; column: (actor: Actor) => Prisma.Sql }[] = [
  { list: 'states', what: 'A state', column: () => Prisma.sql`d.state` },
  { list: 'types', what: 'An event type', column: shownText('type') },
  { list: 'features', what: 'A feature name', column: shownText('featureName') },
  { list: 'projects', what: 'A project id', column: shownText('project') },
  { list: 'environments', what: 'An environment', column: shownText('environment') },
];

/** Refuses criteria no delivery could ever meet because they are no storable text. */
export const assertDeliveryCriteria = (criteria: IntegrationEventCriteria): void => {
  for (const { list, what } of LISTS) {
    const values = [...(criteria[list] ?? []), ...(criteria[`${list}OtherThan`] ?? [])];
    assertText(`${what} of the filter`, ...values);
  }
};

/** The deliveries (aliased `d`) that meet the criteria, as the rest of an `and`. */
export const matchingDeliveries = (
  actor: Actor,
  criteria: IntegrationEventCriteria,
): Prisma.Sql => {
  const conditions = [
    ...condition(criteria.from, (from) => Prisma.sql`d.created_at >= ${from}`),
    ...condition(criteria.before, (before) => Prisma.sql`d.created_at < ${before}`),
    ...LISTS.flatMap(({ list, column }) => {
      const isAmong = (values: readonly string[]) =>
        Prisma.sql`${column(actor)} = any(${values}::text[])`;
      return [
        ...condition(criteria[list], isAmong),
        ...condition(
          criteria[`${list}OtherThan`],
          (values) => Prisma.sql`(${isAmong(values)}) is not true`,
        ),
      ];
    }),
  ];
  return conditions.length > 0 ? Prisma.sql`and ${Prisma.join(conditions, ' and ')}` : Prisma.empty;
};
