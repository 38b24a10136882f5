import type { Random } from '../random.js';
import type { RawRequest } from './encode.js';
import { graphqlRequest } from './graphql.js';
import { restRequest } from './rest.js';

/** Malformed HTTP requests, including request smuggling. */
const brokenRequest = (random: Random): RawRequest => {
  const text = random.pick([
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n',
    'POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
    'POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'GET /\u0001 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: evil.example.com\r\nConnection: close\r\n\r\n',
    'NONSENSE\r\n\r\n',
  ]);
  return { method: text.split(' ')[0] ?? '', path: '(broken)', bytes: Buffer.from(text), text };
};

export const randomRequest = (random: Random): RawRequest => {
  const kind = random.below(20);
  if (kind === 0) return brokenRequest(random);
  return kind < 9 ? restRequest(random) : graphqlRequest(random);
};
