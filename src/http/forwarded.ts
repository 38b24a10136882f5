import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, SocketAddress } from 'node:net';
import type { TrustedProxies } from '../config/trusted-proxies.js';

/** The client's side of a request, as far as it is known. */
export type Forwarded = {
  /** A valid IP address, IPv4 where possible. */
  ip: string | null;
  /** Host name with its port, if any, in lower case. */
  host: string | null;
  protocol: 'http' | 'https';
};

/** Normalizes `[2001:DB8::1]:443`, `::ffff:192.0.2.1` and `fe80::1%eth0` to plain addresses. Null for anything else. */
export const parseIp = (text: string): string | null => {
  const bare = text.trim().replace(/^\[([^[\]]*)\](:\d{1,5})?$|^([\d.]+):\d{1,5}$/, '$1$3');
  const version = isIP(bare);
  if (version !== 6) return version === 4 ? bare : null;
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' });
  return address.replace(/^::ffff:(?=[\d.]+$)/, '');
};

/** Groups client addresses: an IPv6 client holds at least a /64. */
export const networkOf = (ip: string | null): string => {
  if (ip === null) return 'unknown';
  if (!ip.includes(':')) return ip;
  const [head = '', tail] = ip.split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0')].slice(0, 4).join(':');
};

/** Nearest proxies first; clients can send thousands of entries, and parsing them takes time. */
const MAX_ENTRIES = 50;

/** The entries of a header that every proxy appends to, nearest proxy first. */
const entriesOf = (header: string | string[] | undefined): string[] => {
  const text = [header ?? []].flat().join(',');
  const entries: string[] = [];
  for (let end = text.length; end >= 0 && entries.length < MAX_ENTRIES; ) {
    const comma = end === 0 ? -1 : text.lastIndexOf(',', end - 1);
    const entry = text.slice(comma + 1, end).trim();
    if (entry !== '') entries.push(entry);
    end = comma;
  }
  return entries;
};

const isListed = (list: BlockList, ip: string | null): boolean =>
  ip !== null && list.check(ip, isIP(ip) === 4 ? 'ipv4' : 'ipv6');

/** Client address, host and protocol of a request. X-Forwarded-* headers are used only from trusted proxies. */
export const forwardedOf = (
  { headers, socket }: IncomingMessage,
  trustedProxies: TrustedProxies,
): Forwarded => {
  const peer = parseIp(socket.remoteAddress ?? '');
  const entries = trustedProxies === 0 ? [] : entriesOf(headers['x-forwarded-for']);
  const path = [peer, ...entries.map(parseIp)];
  const isCount = typeof trustedProxies === 'number';
  const client = isCount ? trustedProxies : path.findIndex((ip) => !isListed(trustedProxies, ip));
  const hops = client === -1 ? path.length : client;
  // A proxy may overwrite an earlier one's entry, so there can be fewer entries than proxies.
  const written = (header: string | string[] | undefined) =>
    hops === 0 ? undefined : entriesOf(header).slice(0, hops).at(-1);

  const scheme = written(headers['x-forwarded-proto'])?.toLowerCase();
  const isTls = 'encrypted' in socket && socket.encrypted === true;
  const isSecure = scheme === undefined ? isTls : scheme === 'https' || scheme === 'wss';
  return {
    ip: path.at(client) ?? peer,
    host: (written(headers['x-forwarded-host']) ?? headers.host)?.toLowerCase() || null,
    protocol: isSecure ? 'https' : 'http',
  };
};
