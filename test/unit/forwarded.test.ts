import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import { forwardedOf, parseIp } from '../../src/http/forwarded.js';

const PEER = '10.0.0.1';

const forwarded = (
  trusted: string,
  headers: Record<string, string>,
  { remoteAddress = PEER, encrypted = false }: { remoteAddress?: string; encrypted?: boolean } = {},
) =>
  forwardedOf(
    { headers, socket: { remoteAddress, ...(encrypted && { encrypted }) } } as IncomingMessage,
    loadConfig({ TRUSTED_PROXIES: trusted }).trustedProxies,
  );

const ipOf = (trusted: string, forwardedFor: string, remoteAddress = PEER) =>
  forwarded(trusted, { 'x-forwarded-for': forwardedFor }, { remoteAddress }).ip;

describe('forwardedOf', () => {
  const spoofed = {
    host: 'Gateway.Example:4000',
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-host': 'flags.example',
    'x-forwarded-proto': 'https',
  };

  test.each([
    ['no proxy is trusted', '', PEER],
    ['the count is 0', '0', PEER],
    ['the peer is not listed', '192.0.2.0/24,::1', PEER],
  ])('ignores every X-Forwarded header when %s', (_when, trusted, ip) => {
    expect(forwarded(trusted, spoofed)).toEqual({
      ip,
      host: 'gateway.example:4000',
      protocol: 'http',
    });
  });

  test.each(['1', PEER, '10.0.0.0/8', 'fd00::/8, 10.0.0.0/8'])(
    'uses the headers of a peer trusted by %s',
    (trusted) => {
      expect(forwarded(trusted, spoofed)).toEqual({
        ip: '203.0.113.9',
        host: 'flags.example',
        protocol: 'https',
      });
    },
  );

  test('uses the n-th address from the right for a count of n', () => {
    const sent = '198.51.100.1, 203.0.113.9, 10.0.0.2';
    expect(ipOf('1', sent)).toBe('10.0.0.2');
    expect(ipOf('2', sent)).toBe('203.0.113.9');
    expect(ipOf('3', sent)).toBe('198.51.100.1');
  });

  test('falls back to the peer when fewer proxies than the count were passed', () => {
    expect(ipOf('4', '198.51.100.1, 203.0.113.9')).toBe(PEER);
    expect(ipOf('1', '')).toBe(PEER);
  });

  test('uses the first address from the right that is not listed', () => {
    expect(ipOf('10.0.0.0/8', '198.51.100.1, 203.0.113.9, 10.9.9.9')).toBe('203.0.113.9');
    expect(ipOf('10.0.0.0/8', '10.0.0.3, 10.9.9.9')).toBe('10.0.0.3');
    expect(ipOf('fd00::/8', '2001:db8::7, fd00::2', 'fd00::1')).toBe('2001:db8::7');
    expect(ipOf('10.0.0.0/8', '203.0.113.9', '::ffff:10.0.0.1')).toBe('203.0.113.9');
  });

  test.each(['unknown', 'x'.repeat(1_000), '_hidden', '300.1.1.1', '01.2.3.4', "1.2.3.4' --"])(
    'falls back to the peer when the address is %s',
    (entry) => {
      expect(ipOf('1', `198.51.100.1, ${entry}`)).toBe(PEER);
      expect(ipOf('10.0.0.0/8', `198.51.100.1, ${entry}`)).toBe(PEER);
    },
  );

  test('reads host and protocol as the outermost trusted proxy wrote them', () => {
    const chain = {
      'x-forwarded-for': '203.0.113.9, 10.0.0.2',
      'x-forwarded-host': 'forged.example, flags.example, inner.example',
      'x-forwarded-proto': 'https, http',
    };
    expect(forwarded('2', chain)).toMatchObject({ host: 'flags.example', protocol: 'https' });
    expect(forwarded('10.0.0.0/8', chain)).toMatchObject({
      host: 'flags.example',
      protocol: 'https',
    });
    expect(forwarded('1', chain)).toMatchObject({ host: 'inner.example', protocol: 'http' });
    expect(forwarded('10.0.0.0/8', { 'x-forwarded-proto': 'https' }).protocol).toBe('https');
    expect(forwarded('1', { 'x-forwarded-proto': 'WSS' }).protocol).toBe('https');
    expect(forwarded('1', { 'x-forwarded-proto': 'gopher' }).protocol).toBe('http');
  });

  test('reports the properties of the connection itself', () => {
    expect(forwarded('', {}, { encrypted: true })).toEqual({
      ip: PEER,
      host: null,
      protocol: 'https',
    });
    expect(forwarded('', { host: '' }, { remoteAddress: '' })).toMatchObject({
      ip: null,
      host: null,
    });
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1:5678 ', '192.0.2.1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['[::ffff:c000:201]:80', '192.0.2.1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['2001:db8::1:443:', null],
  ['[192.0.2.1', null],
  ['example.org', null],
  ['', null],
])('parseIp reads %s as %s', (text, ip) => {
  expect(parseIp(text)).toBe(ip);
});
