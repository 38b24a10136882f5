import type { Socket } from 'node:net';
import { networkOf } from './forwarded.js';

/** Owners of the connections on which valid credentials were sent. */
const known = new WeakMap<Socket, string>();

export const markKnown = (socket: Socket, owner: string): void => {
  known.set(socket, owner);
};

/** Null if no valid credentials were sent on the connection. */
export const knownOwnerOf = (socket: Socket): string | null => known.get(socket) ?? null;

/** Whose turn a connection uses, judging by its last request with valid credentials. */
export const ownerOf = (socket: Socket): string =>
  known.get(socket) ?? `address ${networkOf(socket.remoteAddress ?? null)}`;

export type UnknownClients = {
  /** To be called for a new connection. */
  open(socket: Socket): void;
  /** To be called after the last response on a connection. */
  rest(socket: Socket): void;
  /** To be called for each request. */
  resume(socket: Socket): void;
  close(socket: Socket): void;
};

type Limits = { idle: number; total: number };

/** Younger connections may be about to send credentials, perhaps in bytes that the process has not parsed yet. */
const MIN_AGE_MS = 1_000;

/** Connections and since when, oldest first. */
type Ages = Map<Socket, number>;

const countUntil = (ages: Ages, limit: number): number => {
  let count = 0;
  for (const since of ages.values()) {
    if (since > limit) break;
    count += 1;
  }
  return count;
};

/** The largest group; of equally large ones, the one with the oldest connection. */
const largest = (groups: Iterable<Ages>, sizeOf: (ages: Ages) => number): Ages | undefined => {
  let most: { ages: Ages; size: number; since: number } | undefined;
  for (const ages of groups) {
    const size = sizeOf(ages);
    const [since = 0] = ages.values();
    if (size === 0) continue;
    if (!most || size > most.size || (size === most.size && since < most.since))
      most = { ages, size, since };
  }
  return most?.ages;
};

const destroyUnlessKnown = (socket: Socket): void => {
  if (!known.has(socket)) socket.destroy();
};

/**
 * Bounds the connections of unknown clients. Of idle ones, the one that is idle for longest is closed: when a client
 * closes thousands of connections at once, the event loop is blocked until Node has closed all of them. In total, the
 * oldest connection of the network with the most is closed, because each holds up to 80 KB of input. Connections that are
 * younger than a second are closed only if there are no others.
 */
export const boundUnknownClients = (max: Limits): UnknownClients => {
  const idle: Ages = new Map();
  const byNetwork = new Map<string, Ages>();
  const networks = new WeakMap<Socket, string>();
  let total = 0;
  let isTrimming = false;

  const remove = (socket: Socket): void => {
    const network = networks.get(socket);
    const ages = network === undefined ? undefined : byNetwork.get(network);
    if (network === undefined || !ages?.delete(socket)) return;
    total -= 1;
    if (ages.size === 0) byNetwork.delete(network);
  };
  const add = (socket: Socket, now: number): void => {
    const network = networkOf(socket.remoteAddress ?? null);
    networks.set(socket, network);
    byNetwork.set(network, (byNetwork.get(network) ?? new Map()).set(socket, now));
    total += 1;
    while (total > max.total) closeOne(now);
  };
  const closeOne = (now: number): void => {
    const groups = [...byNetwork.values()];
    const ages =
      largest(groups, (group) => countUntil(group, now - MIN_AGE_MS)) ??
      largest(groups, ({ size }) => size);
    const [oldest] = ages?.keys() ?? [];
    if (!oldest) return;
    remove(oldest);
    destroyUnlessKnown(oldest);
  };
  const trimIdle = (now: number): void => {
    for (const [socket, since] of idle) {
      if (idle.size <= max.idle) return;
      if (since > now - MIN_AGE_MS) {
        trimLater(since + MIN_AGE_MS - now);
        return;
      }
      idle.delete(socket);
      destroyUnlessKnown(socket);
    }
  };
  const trimLater = (ms: number): void => {
    if (isTrimming) return;
    isTrimming = true;
    setTimeout(() => {
      isTrimming = false;
      trimIdle(performance.now());
    }, ms).unref();
  };
  const rest = (socket: Socket): void => {
    if (known.has(socket)) remove(socket);
    if (known.has(socket) || socket.destroyed) return;
    const now = performance.now();
    idle.delete(socket);
    idle.set(socket, now);
    trimIdle(now);
  };
  return {
    open: (socket) => {
      add(socket, performance.now());
      rest(socket);
    },
    rest,
    resume: (socket) => idle.delete(socket),
    close: (socket) => {
      idle.delete(socket);
      remove(socket);
    },
  };
};
