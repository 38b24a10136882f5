import { BlockList, isIP } from 'node:net';
import { parseIp } from './forwarded.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host, with or without a port, is localhost, in 127.0.0.0/8 or ::1. */
export const isLoopback = (host: string): boolean => {
  const ip = parseIp(host);
  if (ip === null) return /^localhost\.?(:\d{1,5})?$/i.test(host.trim());
  return LOOPBACK.check(ip, isIP(ip) === 4 ? 'ipv4' : 'ipv6');
};
