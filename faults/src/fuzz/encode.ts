import type { Random } from '../random.js';
import { edgeCaseValue, randomMediaType, randomToken } from './values.js';

export type RawRequest = { method: string; path: string; bytes: Buffer; text: string };

type Parts = { method: string; path: string; headers?: Record<string, string>; body?: string };

export const encode = ({ method, path, headers = {}, body }: Parts): RawRequest => {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const fields = Object.entries({ Host: '127.0.0.1', Connection: 'close', ...length, ...headers });
  const head = [
    `${method} ${path} HTTP/1.1`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
  ];
  const text = `${head.join('\r\n')}\r\n\r\n${body ?? ''}`;
  return { method, path, bytes: Buffer.from(text, 'utf8'), text };
};

export const headersOf = (random: Random): Record<string, string> => {
  const token = randomToken(random);
  return {
    ...(token !== undefined && { Authorization: token }),
    ...(random.below(2) === 0 && { Accept: randomMediaType(random) }),
    ...(random.below(6) === 0 && {
      'Accept-Encoding': random.pick(['gzip', 'br', 'identity;q=0', 'x', '*;q=0']),
    }),
    ...(random.below(10) === 0 && { 'If-None-Match': random.pick(['*', '"x"', 'W/"x"', '']) }),
    ...(random.below(10) === 0 && { 'X-GraphQL-Cost': 'true' }),
    ...(random.below(10) === 0 && {
      'Idempotency-Key': edgeCaseValue(random).replace(/[^ -~]/g, '?'),
    }),
  };
};

export const contentTypeOf = (random: Random) =>
  random.below(5) > 0
    ? 'application/json'
    : random.pick([
        'text/plain',
        'application/graphql',
        'multipart/form-data',
        'application/x-www-form-urlencoded',
        'application/json; charset=utf-16',
        '',
      ]);
