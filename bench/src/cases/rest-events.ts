import {
  ABSENT_WORD,
  BUSY_FEATURE,
  COMMON_WORD,
  RARE_WORD,
  SOME_PROJECT,
  SOME_TYPE,
} from '../world/facts.js';
import type { Case, Part, Target } from './case.js';

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

const search = (parameters: string): Part => ({
  request: { path: `/api/admin/search/events${parameters ? `?${parameters}` : ''}` },
  read,
});

type Options = {
  id: string;
  title: string;
  parameters: string;
  /** The same filter in SQL. */
  where?: string;
  limit?: number;
  offset?: (events: number) => number;
  targets: readonly Target[];
  slow?: boolean;
  subject?: 'gateway' | 'plain';
  withLimit?: boolean;
};

const define =
  ({ id, title, parameters, where = 'true', limit = 50, offset, targets, ...more }: Options) =>
  (events: number): Case => {
    const skipped = offset?.(events) ?? 0;
    const part = search([parameters, ...(skipped ? [`offset=${skipped}`] : [])].join('&'));
    const subject = more.subject ?? 'gateway';
    return {
      id,
      title: title.replace('{offset}', skipped.toLocaleString('en')),
      subject,
      targets,
      parts: { [subject]: part, original: part, ...(more.withLimit && { limit: part }) },
      ...(more.slow && { slow: subject === 'plain' ? ['plain', 'original'] : ['original'] }),
      expect: async (sql) => {
        const rows = await sql.query<Row>(
          `select created_at as at, id, type, created_by as "createdBy", created_by_user_id as "createdByUserId", data,
             pre_data as "preData", tags, feature_name as "featureName", project, environment
           from events where ${where} order by id desc limit ${limit} offset ${skipped}`,
        );
        const { total } = await sql.one<{ total: number }>(
          `select count(*)::int as total from events where ${where}`,
        );
        return {
          total,
          events: rows.map((row) => [row.at.getTime(), ...COMPARED.map((key) => row[key] ?? null)]),
        };
      },
    };
  };

const contains = (word: string) =>
  `(data::text ilike '%${word}%' or tags::text ilike '%${word}%' or pre_data::text ilike '%${word}%')`;

const than = (atLeast: number): Target[] => [{ against: 'original', atLeast }];

export const restEventCases = [
  define({
    id: 'rest-no-filter',
    title: 'REST search, no filter, with exact total',
    parameters: 'limit=50',
    targets: than(30),
  }),
  define({
    id: 'rest-project-type',
    title: 'REST search, project + type',
    parameters: `project=IS:${SOME_PROJECT}&type=IS:${SOME_TYPE}&limit=50`,
    where: `project = '${SOME_PROJECT}' and type = '${SOME_TYPE}'`,
    targets: than(8),
  }),
  define({
    id: 'rest-one-feature',
    title: 'REST search, one feature',
    parameters: `feature=IS:${BUSY_FEATURE}&limit=50`,
    where: `feature_name = '${BUSY_FEATURE}'`,
    targets: [...than(3), { against: 'limit', atLeast: 0.6 }],
    withLimit: true,
  }),
  define({
    id: 'rest-window',
    title: 'REST search, from/to window of a week',
    parameters: 'from=IS:2024-09-02&to=IS:2024-09-08&limit=50',
    where: `created_at >= '2024-09-02T00:00:00Z' and created_at < '2024-09-09T00:00:00Z'`,
    targets: than(3),
  }),
  define({
    id: 'rest-offset',
    title: 'REST search, offset {offset}',
    parameters: 'limit=50',
    offset: (events) => events / 2,
    targets: than(5),
  }),
  define({
    id: 'rest-limit-1000',
    title: 'REST search, limit=1000',
    parameters: 'limit=1000',
    limit: 1000,
    targets: than(3),
  }),
  define({
    id: 'text-rare',
    title: 'REST free text, rare word, with our index',
    parameters: `query=${RARE_WORD}&limit=50`,
    where: contains(RARE_WORD),
    targets: than(300),
    slow: true,
  }),
  define({
    id: 'text-absent',
    title: 'REST free text, absent word, with our index',
    parameters: `query=${ABSENT_WORD}&limit=50`,
    where: contains(ABSENT_WORD),
    targets: than(50),
    slow: true,
  }),
  define({
    id: 'text-common',
    title: 'REST free text, common word, with our index',
    parameters: `query=${COMMON_WORD}&limit=50`,
    where: contains(COMMON_WORD),
    targets: than(50),
    slow: true,
  }),
  define({
    id: 'text-no-index',
    title: 'REST free text without our index',
    parameters: `query=${ABSENT_WORD}&limit=50`,
    where: contains(ABSENT_WORD),
    targets: than(1),
    slow: true,
    subject: 'plain',
  }),
];
