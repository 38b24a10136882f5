import { visitInSlices } from './work/time-slicer.js';

export const indexBy = <Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key) =>
  new Map(rows.map((row) => [keyOf(row), row]));

const addTo = <Key, Row>(groups: Map<Key, Row[]>, key: Key, row: Row): void => {
  const group = groups.get(key);
  if (group) group.push(row);
  else groups.set(key, [row]);
};

/** Groups keep the order of the rows. */
export const groupBy = <Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key) => {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) addTo(groups, keyOf(row), row);
  return groups;
};

/** Short lists are grouped without a pause, so that the loads that follow share their batches. */
const AT_ONCE = 500;

/** The same with other work of the event loop in between. For many rows. */
export const groupInSlices = async <Key, Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): Promise<Map<Key, Row[]>> => {
  const groups = new Map<Key, Row[]>();
  await visitInSlices(rows, (row) => addTo(groups, keyOf(row), row), AT_ONCE);
  return groups;
};
