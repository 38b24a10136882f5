import { Prisma } from '../db.js';
import { condition } from '../sql/conditions.sql.js';
import { matchesPattern, type TextPattern } from '../sql/text-patterns.sql.js';
import { inVisibleProject } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';

/** States of deliveries; types, features, projects and environments of their events, as delivered. */
export type DeliveryList = 'states' | 'types' | 'features' | 'projects' | 'environments';

export type IntegrationEventCriteria = {
  /** Only these; with `OtherThan`, all but these, including those without a value. */
  [List in DeliveryList | `${DeliveryList}OtherThan`]?: readonly string[];
} & {
  patterns?: { [List in DeliveryList]?: TextPattern };
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  before?: Date;
};

type DeliveredKey = 'id' | 'type' | 'featureName' | 'project' | 'environment';

/** A value of the event in a delivery (alias `d`); null also if the event is not an object. */
export const deliveredValue = (key: DeliveredKey): Prisma.Sql =>
  Prisma.sql`(d.event -> ${Prisma.raw(`'${key}'`)})`;

/** The same as text; values of other types are not shown either. */
const deliveredText = (key: DeliveredKey): Prisma.Sql =>
  Prisma.sql`(case jsonb_typeof(${deliveredValue(key)}) when 'string' then ${deliveredValue(key)} #>> '{}' end)`;

/** If projects are hidden from the viewer, so are deliveries of their events; administrators see all others. */
export const shownDeliveries = (viewer: Viewer): Prisma.Sql =>
  inVisibleProject(viewer, deliveredText('project'));

const LISTS: readonly { list: DeliveryList; column: Prisma.Sql }[] = [
  { list: 'states', column: Prisma.sql`d.state` },
  { list: 'types', column: deliveredText('type') },
  { list: 'features', column: deliveredText('featureName') },
  { list: 'projects', column: deliveredText('project') },
  { list: 'environments', column: deliveredText('environment') },
];

/** Matches deliveries (alias `d`) that meet the criteria and that the viewer may see. */
export const matchingDeliveries = (
  viewer: Viewer,
  criteria: IntegrationEventCriteria,
): Prisma.Sql => {
  const conditions = [
    shownDeliveries(viewer),
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
        ...matchesPattern(column, criteria.patterns?.[list] ?? {}),
      ];
    }),
  ];
  return Prisma.join(conditions, ' and ');
};
