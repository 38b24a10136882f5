const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const differ = (place: string, original: unknown, gateway: unknown) =>
  `${place}: the original has ${show(original)}, the gateway ${show(gateway)}`;

const diffLists = (place: string, original: unknown[], gateway: unknown[]): string | undefined => {
  for (const [index, item] of original.entries()) {
    if (index >= gateway.length) break;
    const found = firstDifference(item, gateway[index], `${place}[${index}]`);
    if (found) return found;
  }
  if (original.length === gateway.length) return undefined;
  return `${place}: the original has ${original.length} items, the gateway ${gateway.length}`;
};

const diffRecords = (
  place: string,
  original: Record<string, unknown>,
  gateway: Record<string, unknown>,
): string | undefined => {
  const wanted = Object.keys(original);
  const given = Object.keys(gateway);
  const missing = wanted.filter((key) => !Object.hasOwn(gateway, key));
  const further = given.filter((key) => !Object.hasOwn(original, key));
  if (missing.length > 0) return `${place}: the gateway lacks ${missing.join(', ')}`;
  if (further.length > 0) return `${place}: only the gateway has ${further.join(', ')}`;
  for (const key of wanted) {
    const found = firstDifference(original[key], gateway[key], `${place}.${key}`);
    if (found) return found;
  }
  if (wanted.join() !== given.join()) {
    return `${place}: the original's keys are ordered ${wanted.join(', ')}, the gateway's ${given.join(', ')}`;
  }
  return undefined;
};

/** Where two JSON values first differ, in words; undefined when they are the same, order of keys included. */
export const firstDifference = (
  original: unknown,
  gateway: unknown,
  place = 'body',
): string | undefined => {
  if (Array.isArray(original) && Array.isArray(gateway)) return diffLists(place, original, gateway);
  if (isRecord(original) && isRecord(gateway)) return diffRecords(place, original, gateway);
  return Object.is(original, gateway) ? undefined : differ(place, original, gateway);
};
