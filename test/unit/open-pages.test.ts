import { expect, test } from 'vitest';
import { createOpenPages } from '../../src/http/open-pages.js';

test('an address has a limited number of pages until they are sent', () => {
  const pages = createOpenPages(2);
  const enter = (address: string) => {
    const ended = new AbortController();
    pages.enter(address, ended.signal);
    return ended;
  };
  const first = enter('192.0.2.1');
  const second = enter('192.0.2.1');
  expect(() => enter('192.0.2.1')).toThrow(expect.objectContaining({ name: 'RateLimitError' }));
  enter('192.0.2.2');
  first.abort();
  enter('192.0.2.1');
  expect(() => enter('192.0.2.1')).toThrow('2 pages');
  second.abort();
  enter('192.0.2.1');
});

test('a client that has already disconnected takes no slot', () => {
  const pages = createOpenPages(1);
  for (let index = 0; index < 5; index += 1) pages.enter('192.0.2.1', AbortSignal.abort());
  expect(() => pages.enter('192.0.2.1', new AbortController().signal)).not.toThrow();
});
