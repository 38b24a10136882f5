import { createHash } from 'node:crypto';
import type { Sql } from '../../../parity/src/world/sql.js';
import type { Name } from '../contenders/contender.js';
import type { Draw } from '../draw.js';
import {
  ABSENT_LETTERS,
  ALL_PROJECTS,
  EVENT_TYPES,
  FEATURE_COUNT,
  FIRST_TIMESTAMP,
  featureNumbered,
  SPAN_DAYS,
  WORDS,
} from '../world/facts.js';
import type { Case, Question, Target } from './case.js';

type RestEvent = Record<string, unknown> & { createdAt: string };
type RestResponse = { events: RestEvent[]; total: number };

const COMPARED = [
  'id',
  'type',
  'createdBy',
  'createdByUserId',
  'data',
  'preData',
  'tags',
  'featureName',
  'project',
  'environment',
];

const read = (response: unknown): unknown => {
  const { events, total } = response as RestResponse;
  return {
    total,
    events: events.map((event) => [
      new Date(event.createdAt).getTime(),
      ...COMPARED.map((key) => event[key] ?? null),
    ]),
  };
};

type Row = { at: Date } & Record<string, unknown>;

type Search = {
  /** Filter parameters, and the same filter in SQL. */
  filter?: { parameters: string; where: string };
  limit?: number;
  offset?: number;
};

/** Computes a value once for each connection and key; no case that reads writes events. */
const createMemo = <Value>(compute: (sql: Sql, key: string) => Promise<Value>) => {
  const known = new WeakMap<Sql, Map<string, Promise<Value>>>();
  return (sql: Sql, key = ''): Promise<Value> => {
    const values = known.get(sql) ?? new Map<string, Promise<Value>>();
    known.set(sql, values);
    const value = values.get(key) ?? compute(sql, key);
    values.set(key, value);
    return value;
  };
};

const countWhere = createMemo(async (sql, where) => {
  const { total } = await sql.one<{ total: number }>(
    `select count(*)::int as total from events where ${where}`,
  );
  return total;
});

const listIds = createMemo(async (sql) => {
  const [list] = await sql.query<{ ids: number[] }>(
    'select array_agg(id order by id desc) as ids from events',
  );
  return Int32Array.from(list?.ids ?? []);
});

const search = ({ filter, limit = 50, offset = 0 }: Search): Question => {
  const parameters = [
    ...(filter ? [filter.parameters] : []),
    `limit=${limit}`,
    ...(offset > 0 ? [`offset=${offset}`] : []),
  ];
  const request = { path: `/api/admin/search/events?${parameters.join('&')}` };
  return {
    requests: { gateway: request, plain: request, unleash: request, limit: request },
    readers: { gateway: read, plain: read, unleash: read, limit: read },
    expect: async (sql) => {
      // The database would walk to each of thousands of deep pages.
      const page = filter
        ? `${filter.where} order by id desc limit ${limit} offset ${offset}`
        : `id = any('{${(await listIds(sql)).slice(offset, offset + limit)}}') order by id desc`;
      const rows = await sql.query<Row>(
        `select created_at as at, id, type, created_by as "createdBy", created_by_user_id as "createdByUserId", data,
           pre_data as "preData", tags, feature_name as "featureName", project, environment
         from events where ${page}`,
      );
      return {
        total: await countWhere(sql, filter?.where ?? 'true'),
        events: rows.map((row) => [row.at.getTime(), ...COMPARED.map((key) => row[key] ?? null)]),
      };
    },
  };
};

type Options = {
  id: string;
  title: string;
  drawSearch: (draw: Draw, events: number) => Search;
  targets: readonly Target[];
  /** Whose responses take seconds. */
  slow?: readonly Name[];
  subject?: 'gateway' | 'plain';
  withLimit?: boolean;
};

const define =
  ({ id, title, drawSearch, targets, slow, subject = 'gateway', withLimit }: Options) =>
  (events: number): Case => ({
    id,
    title,
    subject,
    targets,
    names: [subject, 'unleash', ...(withLimit ? (['limit'] as const) : [])],
    drawQuestion: (draw) => search(drawSearch(draw, events)),
    ...(slow && { slow }),
  });

const textFilter = (text: string) => ({
  parameters: `query=${encodeURIComponent(text)}`,
  where: `(data::text ilike '%${text}%' or tags::text ilike '%${text}%' or pre_data::text ilike '%${text}%')`,
});

const DAY_MS = 24 * 60 * 60 * 1000;
const WINDOW_DAYS = 14;

const windowFilter = (draw: Draw) => {
  // Recent days are requested more often.
  const lastDay = SPAN_DAYS - 1 - draw.popular(SPAN_DAYS - WINDOW_DAYS);
  const day = (index: number) =>
    new Date(Date.parse(FIRST_TIMESTAMP) + index * DAY_MS).toISOString().slice(0, 10);
  const from = day(lastDay - WINDOW_DAYS + 1);
  return {
    parameters: `from=IS:${from}&to=IS:${day(lastDay)}`,
    where: `created_at >= '${from}T00:00:00Z' and created_at < '${day(lastDay + 1)}T00:00:00Z'`,
  };
};

/** Part of the hash that one event contains. */
const rareText = (draw: Draw, events: number): string =>
  createHash('md5')
    .update(String(1 + draw.any(events)))
    .digest('hex')
    .slice(0, 10);

const absentText = (draw: Draw): string =>
  Array.from({ length: 9 }, () => draw.pick(ABSENT_LETTERS)).join('');

const than = (atLeast: number): Target[] => [{ against: 'unleash', atLeast }];

export const restEventCases = [
  define({
    id: 'rest-no-filter',
    title: 'REST search, no filter, with exact total',
    drawSearch: (draw) => {
      const limit = draw.pick([20, 25, 50, 100]);
      return { limit, offset: limit * draw.popular(100) };
    },
    targets: than(30),
  }),
  define({
    id: 'rest-project-type',
    title: 'REST search, project + type',
    drawSearch: (draw) => {
      const project = ALL_PROJECTS[draw.popular(ALL_PROJECTS.length)];
      const type = EVENT_TYPES[draw.popular(EVENT_TYPES.length)];
      return {
        filter: {
          parameters: `project=IS:${project}&type=IS:${type}`,
          where: `project = '${project}' and type = '${type}'`,
        },
      };
    },
    targets: than(8),
  }),
  define({
    id: 'rest-one-feature',
    title: 'REST search, one feature',
    drawSearch: (draw) => {
      const feature = featureNumbered(1 + draw.popular(FEATURE_COUNT));
      return {
        filter: { parameters: `feature=IS:${feature}`, where: `feature_name = '${feature}'` },
      };
    },
    targets: [...than(3), { against: 'limit', atLeast: 0.6 }],
    withLimit: true,
  }),
  define({
    id: 'rest-window',
    title: 'REST search, two weeks',
    drawSearch: (draw) => ({ filter: windowFilter(draw) }),
    targets: than(4),
  }),
  define({
    id: 'rest-offset',
    title: 'REST search, offset in the middle of the log',
    drawSearch: (draw, events) => ({ offset: Math.floor(events * 0.4) + draw.any(events * 0.2) }),
    targets: than(20),
  }),
  define({
    id: 'rest-limit-1000',
    title: 'REST search, limit=1000',
    drawSearch: (draw) => ({ limit: 1000, offset: 1000 * draw.popular(50) }),
    targets: than(20),
  }),
  define({
    id: 'text-rare',
    title: 'REST free text that one or no event has, with our index',
    drawSearch: (draw, events) => ({ filter: textFilter(rareText(draw, events)) }),
    targets: than(300),
    slow: ['unleash'],
  }),
  define({
    id: 'text-absent',
    title: 'REST free text that no event has, with our index',
    drawSearch: (draw) => ({ filter: textFilter(absentText(draw)) }),
    targets: than(50),
    slow: ['unleash'],
  }),
  define({
    id: 'text-common',
    title: 'REST free text that thousands of events have, with our index',
    drawSearch: (draw) => ({ filter: textFilter(`${draw.pick(WORDS)} ${draw.pick(WORDS)}`) }),
    targets: than(50),
    slow: ['gateway', 'unleash'],
  }),
  define({
    id: 'text-no-index',
    title: 'REST free text without our index',
    drawSearch: (draw) => ({ filter: textFilter(absentText(draw)) }),
    targets: than(1),
    slow: ['plain', 'unleash'],
    subject: 'plain',
  }),
];
