import { isIP } from 'node:net';
import type { CloneRows } from './clone-rows.js';
import { isAtLeast } from './version.js';
import type { Row } from './world/sql.js';

type Pair = { upstream: CloneRows; gateway: CloneRows };

/** Removes one change of newer versions from both sides' rows; undefined if it does not apply. */
type RowDifference = {
  id: string;
  since: string;
  settle(pair: Pair): Pair | undefined;
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

const isAddress = (event: Row) => isIP(String(event['ip'])) !== 0;

const DIFFERENCES: readonly RowDifference[] = [
  {
    id: 'D-CLONE-16',
    since: '6.6.0',
    settle: ({ upstream: theirs, gateway: ours }) =>
      ours.events.every(isAddress) && !theirs.events.some(isAddress)
        ? {
            upstream: onEvents(theirs, (event) => ({ ...event, ip: null })),
            gateway: onEvents(ours, (event) => ({ ...event, ip: null })),
          }
        : undefined,
  },
  {
    id: 'D-NEW-1',
    since: '6.10.0',
    settle: ({ upstream: theirs, gateway: ours }) =>
      isFirstWith(theirs, ARCHIVED_AT)
        ? undefined
        : { upstream: theirs, gateway: inFirst(ours, ARCHIVED_AT, '') },
  },
  {
    id: 'D-NEW-9',
    since: '8.0.0',
    settle: ({ upstream: theirs, gateway: ours }) =>
      isFirstWith(theirs, LAST_SEEN_AT)
        ? undefined
        : { upstream: theirs, gateway: inFirst(ours, LAST_SEEN_AT, '') },
  },
  {
    id: 'D-NEW-5',
    since: '7.0.0',
    settle: (pair) => (pair.gateway.feature_strategies.length > 0 ? pair : undefined),
  },
  {
    id: 'D-NEW-8',
    since: '6.10.0',
    settle: ({ upstream: theirs, gateway: ours }) =>
      isFirstWith(ours, EMPTY_DESCRIPTION)
        ? {
            upstream: theirs,
            gateway: {
              ...inFirst(ours, EMPTY_DESCRIPTION, '"description":null'),
              features: ours.features.map((row) => ({ ...row, description: null })),
            },
          }
        : undefined,
  },
];

/** The rows that are left to compare after the changes of newer versions are removed. */
export const settleRows = (version: string, pair: Pair): Pair & { met: string[] } => {
  const met: string[] = [];
  let remaining = pair;
  for (const { id, since, settle } of DIFFERENCES) {
    const settled = isAtLeast(version, since) ? settle(remaining) : undefined;
    if (!settled) continue;
    met.push(id);
    remaining = settled;
  }
  return { ...remaining, met };
};
