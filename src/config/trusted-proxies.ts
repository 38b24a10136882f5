import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

/** Reverse proxies whose X-Forwarded-* headers are used: their count or their addresses. */
export type TrustedProxies = number | BlockList;

const MAX_HOPS = 20;
const MESSAGE = `must be a number of proxies from 0 to ${MAX_HOPS}, or a comma-separated list of IP addresses and CIDR ranges such as 10.0.0.0/8,::1`;

const addRange = (list: BlockList, range: string): boolean => {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0) return false;
  const widest = version === 4 ? 32 : 128;
  const length = prefix === undefined ? widest : Number(prefix);
  if (length > widest) return false;
  list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  return true;
};

const parseTrustedProxies = (value: string): TrustedProxies | undefined => {
  if (/^\d+$/.test(value)) return Number(value) <= MAX_HOPS ? Number(value) : undefined;
  const list = new BlockList();
  const isValid = value.split(',').every((range) => addRange(list, range.trim()));
  return isValid ? list : undefined;
};

export const trustedProxies = z
  .string()
  .transform(parseTrustedProxies)
  .refine((parsed) => parsed !== undefined, MESSAGE);
