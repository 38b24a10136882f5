import { expect, test } from 'vitest';
import { isSameOrigin } from '../../src/http/same-origin.js';

const HOST = 'flags.example:8443';

test.each<[string, Record<string, string>, get: boolean, post: boolean]>([
  ['same-origin', { 'sec-fetch-site': 'same-origin' }, true, true],
  ['a URL entered by the user', { 'sec-fetch-site': 'none' }, true, false],
  ['a sibling subdomain', { 'sec-fetch-site': 'same-site' }, false, false],
  ['another site', { 'sec-fetch-site': 'cross-site' }, false, false],
  ['an unknown site', { 'sec-fetch-site': 'moon' }, false, false],
  [
    'another site with our origin',
    { 'sec-fetch-site': 'cross-site', origin: `https://${HOST}` },
    false,
    false,
  ],
  ['neither header', {}, true, true],
  ['our origin alone', { origin: `https://${HOST}` }, true, true],
  ['our host in another letter case', { origin: 'https://FLAGS.example:8443' }, true, true],
  ['a sibling origin alone', { origin: 'https://evil.flags.example:8443' }, false, false],
  ['our host on another port', { origin: 'https://flags.example' }, false, false],
  ['an opaque origin', { origin: 'null' }, false, false],
  ['an invalid origin', { origin: 'garbage' }, false, false],
])('handles %s', (_title, headers, get, post) => {
  expect(isSameOrigin({ method: 'GET', headers }, HOST)).toBe(get);
  expect(isSameOrigin({ method: 'POST', headers }, HOST)).toBe(post);
});

test.each([
  ['https://flags.example', 'flags.example:443', true],
  ['http://flags.example', 'flags.example:80', true],
  ['https://flags.example', 'flags.example:80', false],
  ['https://flags.example', 'evil.example/flags.example', false],
  ['https://flags.example', 'user@flags.example:8443', false],
  ['https://[2001:db8::1]', '[2001:db8::1]:443', true],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]', false],
  ['https://bücher.example', 'bücher.example', false],
  ['ftp://flags.example', 'flags.example', false],
])('compares origin %s with host %s', (origin, host, expected) => {
  expect(isSameOrigin({ method: 'POST', headers: { origin } }, host)).toBe(expected);
});

test('rejects every origin where the host is unknown', () => {
  expect(isSameOrigin({ method: 'GET', headers: { origin: 'https://x.example' } }, null)).toBe(
    false,
  );
});
