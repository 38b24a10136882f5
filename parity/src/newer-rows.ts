import type { CloneRows } from './clone-rows.js';
import { isAtLeast } from './version.js';
import type { Row, Sql } from './world/sql.js';

type Pair = { theirs: CloneRows; ours: CloneRows };

/** Takes one change of newer versions out of what both have written; undefined when it is not there. */
type RowDifference = {
  id: string;
  since: string;
  settle(pair: Pair, source: readonly Row[]): Pair | undefined;
};

const onEvents = (rows: CloneRows, change: (event: Row, index: number) => Row): CloneRows => ({
  ...rows,
  events: rows.events.map(change),
});

const ARCHIVED_AT = '"archivedAt":null,';
const LAST_SEEN_AT = '"lastSeenAt":null,';
const EMPTY_DESCRIPTION = '"description":""';

const inFirst = (rows: CloneRows, text: string, replacement: string): CloneRows =>
  onEvents(rows, (event, index) =>
    index === 0 ? { ...event, data: String(event['data']).replace(text, replacement) } : event,
  );

const isFirstWith = ({ events }: CloneRows, text: string) =>
  String(events[0]?.['data']).includes(text);

/** Parameters the versions fill in by different rules. */
const FILLED_IN = ['rollout', 'stickiness', 'groupId'];

const isUnset = (parameters: unknown) =>
  FILLED_IN.some((key) => {
    const value: unknown = Reflect.get(Object(parameters), key);
    return value === null || value === '';
  });

const withoutFilledIn = (parameters: unknown) =>
  Object.fromEntries(
    Object.entries(Object(parameters)).filter(([key]) => !FILLED_IN.includes(key)),
  );

const withoutFilledInText = (data: unknown): unknown => {
  const parsed: unknown = typeof data === 'string' ? JSON.parse(data) : null;
  if (typeof parsed !== 'object' || parsed === null || !('parameters' in parsed)) return data;
  return JSON.stringify({ ...parsed, parameters: withoutFilledIn(parsed.parameters) });
};

const sortRows = (rows: readonly Row[]) =>
  [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

const withoutParameters = (rows: CloneRows): CloneRows => {
  const [first, ...rest] = rows.events.map((event) => ({
    ...event,
    data: withoutFilledInText(event['data']),
  }));
  return {
    ...rows,
    feature_strategies: sortRows(
      rows.feature_strategies.map((row) => ({
        ...row,
        parameters: withoutFilledIn(row['parameters']),
      })),
    ),
    events: [...(first ? [first] : []), ...sortRows(rest)],
  };
};

const DIFFERENCES: readonly RowDifference[] = [
  {
    id: 'D-NEW-1',
    since: '6.10.0',
    settle: ({ theirs, ours }) =>
      isFirstWith(theirs, ARCHIVED_AT)
        ? undefined
        : { theirs, ours: inFirst(ours, ARCHIVED_AT, '') },
  },
  {
    id: 'D-NEW-9',
    since: '8.0.0',
    settle: ({ theirs, ours }) =>
      isFirstWith(theirs, LAST_SEEN_AT)
        ? undefined
        : { theirs, ours: inFirst(ours, LAST_SEEN_AT, '') },
  },
  {
    id: 'D-NEW-3',
    since: '7.0.0',
    settle: ({ theirs, ours }) => ({
      theirs: onEvents(theirs, (event) => ({ ...event, group_id: null, group_type: null })),
      ours,
    }),
  },
  {
    id: 'D-NEW-5',
    since: '7.0.0',
    settle: (pair) => (pair.ours.feature_strategies.length > 0 ? pair : undefined),
  },
  {
    id: 'D-NEW-7',
    since: '7.0.0',
    settle: ({ theirs, ours }, source) =>
      source.some(({ parameters }) => isUnset(parameters))
        ? { theirs: withoutParameters(theirs), ours: withoutParameters(ours) }
        : undefined,
  },
  {
    id: 'D-NEW-8',
    since: '6.10.0',
    settle: ({ theirs, ours }) =>
      isFirstWith(ours, EMPTY_DESCRIPTION)
        ? {
            theirs,
            ours: {
              ...inFirst(ours, EMPTY_DESCRIPTION, '"description":null'),
              features: ours.features.map((row) => ({ ...row, description: null })),
            },
          }
        : undefined,
  },
];

/** What is left to compare of the rows once the changes of newer versions are taken out. */
export const settleRows = async (
  sql: Sql,
  version: string,
  source: string,
  pair: Pair,
): Promise<Pair & { met: string[] }> => {
  const strategies = await sql.query(
    'select parameters from feature_strategies where feature_name = $1',
    [source],
  );
  const met: string[] = [];
  let left = pair;
  for (const { id, since, settle } of DIFFERENCES) {
    const settled = isAtLeast(version, since) ? settle(left, strategies) : undefined;
    if (!settled) continue;
    met.push(id);
    left = settled;
  }
  return { ...left, met };
};
