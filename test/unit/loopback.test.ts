import { expect, test } from 'vitest';
import { isLoopback } from '../../src/http/loopback.js';

test.each([
  'localhost',
  'LOCALHOST:4000',
  'localhost.:4000',
  '127.0.0.1',
  '127.0.0.1:4000',
  '127.255.0.9:80',
  '::1',
  '[::1]',
  '[::1]:4000',
  '::ffff:127.0.0.1',
])('%s is a loopback name', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each([
  '',
  '0.0.0.0',
  '::',
  '[::]:4000',
  '128.0.0.1',
  '10.0.0.1:4000',
  'evil.example',
  'localhost.evil.example',
  'evil-localhost',
  '127.0.0.1.evil.example:4000',
  'localhost@evil.example',
  'localhost:4000:4000',
])('%s is not a loopback name', (host) => {
  expect(isLoopback(host)).toBe(false);
});
