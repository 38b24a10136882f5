import qs from 'qs';
import type { WireRequest } from './http.js';

/** Parses the query string like both sides do. */
export const queryOf = ({ path }: WireRequest): Record<string, unknown> =>
  qs.parse(path.split(/\?(.*)/s)[1] ?? '', { plainObjects: true });

export const textParam = (wire: WireRequest, name: string): string | undefined => {
  const value = queryOf(wire)[name];
  return typeof value === 'string' ? value : undefined;
};

const nameOf = (part: string) => part.split('=', 1)[0] ?? '';

/** The same request with other parameters; null removes one. */
export const withParams = (
  wire: WireRequest,
  params: Record<string, string | number | null>,
): WireRequest => {
  const [path = '', query = ''] = wire.path.split(/\?(.*)/s);
  const remaining = query
    .split('&')
    .filter((part) => part !== '' && !Object.hasOwn(params, nameOf(part)));
  const added = Object.entries(params).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return { ...wire, path: `${path}?${[...remaining, ...added].join('&')}` };
};

/** The path segments, not decoded. */
export const partsOf = ({ path }: WireRequest): string[] =>
  (path.split('?', 1)[0] ?? '').split('/').filter((part) => part !== '');
