const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const differ = (path: string, upstream: unknown, gateway: unknown) =>
  `${path}: upstream has ${show(upstream)}, the gateway ${show(gateway)}`;

const diffLists = (path: string, upstream: unknown[], gateway: unknown[]): string | undefined => {
  for (const [index, item] of upstream.entries()) {
    if (index >= gateway.length) break;
    const found = firstDifference(item, gateway[index], `${path}[${index}]`);
    if (found) return found;
  }
  if (upstream.length === gateway.length) return undefined;
  return `${path}: upstream has ${upstream.length} items, the gateway ${gateway.length}`;
};

const diffRecords = (
  path: string,
  upstream: Record<string, unknown>,
  gateway: Record<string, unknown>,
): string | undefined => {
  const upstreamKeys = Object.keys(upstream);
  const gatewayKeys = Object.keys(gateway);
  const missing = upstreamKeys.filter((key) => !Object.hasOwn(gateway, key));
  const further = gatewayKeys.filter((key) => !Object.hasOwn(upstream, key));
  if (missing.length > 0) return `${path}: the gateway lacks ${missing.join(', ')}`;
  if (further.length > 0) return `${path}: only the gateway has ${further.join(', ')}`;
  for (const key of upstreamKeys) {
    const found = firstDifference(upstream[key], gateway[key], `${path}.${key}`);
    if (found) return found;
  }
  if (upstreamKeys.join() !== gatewayKeys.join()) {
    return `${path}: upstream's key order is ${upstreamKeys.join(', ')}, the gateway's ${gatewayKeys.join(', ')}`;
  }
  return undefined;
};

/** Describes the first difference between two JSON values, including key order; undefined if they are equal. */
export const firstDifference = (
  upstream: unknown,
  gateway: unknown,
  path = 'body',
): string | undefined => {
  if (Array.isArray(upstream) && Array.isArray(gateway)) return diffLists(path, upstream, gateway);
  if (isRecord(upstream) && isRecord(gateway)) return diffRecords(path, upstream, gateway);
  return Object.is(upstream, gateway) ? undefined : differ(path, upstream, gateway);
};
