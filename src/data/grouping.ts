export const indexBy = <Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key) =>
  new Map(rows.map((row) => [keyOf(row), row]));

/** Rows by key, in the order they came. */
export const groupBy = <Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key) => {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
};
