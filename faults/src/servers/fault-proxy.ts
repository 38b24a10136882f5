import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Scope } from '../scope.js';

type Link = {
  client: Socket;
  server: Socket;
  isFrozen: boolean;
  /** Remaining bytes from the server until the connection is cut. */
  remainingBytes: number;
  /** Delayed deliveries, in order. */
  delayed: Promise<void>;
  delayedCount: number;
};

export type FaultProxy = {
  port: number;
  /** URL of the database through the proxy. */
  through(databaseUrl: string): string;
  /** Sends new connections to this port. Established ones are unaffected. */
  retarget(port: number): void;
  /** Silences established connections: no more data, FIN or RST. New ones work. */
  freeze(): void;
  /** Frozen connections that the client has not closed yet. */
  frozenCount(): number;
  openCount(): number;
  /** Delays all data from the server, and so every round trip. */
  setDelay(milliseconds: number): void;
  /** Resets established and new connections after this many more bytes from the server. */
  cutAfter(bytes: number): void;
  stopCutting(): void;
  /** Closes the server's side of established connections (FIN); the other side stays open. */
  halfClose(): void;
  /** Resets established connections, except the `keep` oldest. */
  reset(keep?: number): void;
};

/** A TCP proxy on loopback that can misbehave like a network, a firewall or a failing server. */
export const startFaultProxy = async (scope: Scope, targetPort: number): Promise<FaultProxy> => {
  const links = new Set<Link>();
  let target = targetPort;
  let delayMs = 0;
  let allowance = Number.POSITIVE_INFINITY;

  const end = (link: Link) => {
    links.delete(link);
    link.server.destroy();
  };
  const resetLink = (link: Link) => {
    link.client.resetAndDestroy();
    end(link);
  };
  const later = (link: Link, work: () => void) => {
    if (delayMs === 0 && link.delayedCount === 0) return work();
    const due = performance.now() + delayMs;
    link.delayedCount += 1;
    link.delayed = link.delayed
      .then(() => delay(Math.max(0, due - performance.now())))
      .then(() => {
        link.delayedCount -= 1;
        work();
      });
  };

  /** Forwards data from the server, up to the byte where the connection is cut. */
  const deliver = (link: Link, chunk: Buffer) => {
    if (link.isFrozen || link.client.destroyed) return;
    const part = chunk.subarray(0, Math.max(0, Math.min(chunk.length, link.remainingBytes)));
    link.remainingBytes -= chunk.length;
    if (link.remainingBytes > 0) link.client.write(part);
    else link.client.write(part, () => resetLink(link));
  };

  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    const link: Link = {
      client,
      server,
      isFrozen: false,
      remainingBytes: allowance,
      delayed: Promise.resolve(),
      delayedCount: 0,
    };
    links.add(link);
    client.setNoDelay();
    server.setNoDelay();
    // Reads and drops data on a frozen link, so that the client's FIN is still detected.
    client.on('data', (chunk) => link.isFrozen || server.write(chunk));
    client.on('end', () => (link.isFrozen ? client.destroy() : server.end()));
    client.on('error', () => undefined).on('close', () => end(link));
    server.on('data', (chunk) => later(link, () => deliver(link, chunk)));
    server.on('end', () => later(link, () => link.isFrozen || client.end()));
    server.on('error', () => link.isFrozen || resetLink(link));
    server.on('close', () => {
      if (!link.isFrozen) client.end();
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  scope.onClose(() => {
    proxy.close();
    for (const link of [...links]) resetLink(link);
  });

  return {
    port,
    through: (databaseUrl) => {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    retarget: (next) => {
      target = next;
    },
    freeze: () => {
      for (const link of links) link.isFrozen = true;
    },
    frozenCount: () => [...links].filter(({ isFrozen }) => isFrozen).length,
    openCount: () => links.size,
    setDelay: (milliseconds) => {
      delayMs = milliseconds;
    },
    cutAfter: (bytes) => {
      allowance = bytes;
      for (const link of links) link.remainingBytes = bytes;
    },
    stopCutting: () => {
      allowance = Number.POSITIVE_INFINITY;
      for (const link of links) link.remainingBytes = allowance;
    },
    halfClose: () => {
      for (const link of links) link.client.end();
    },
    reset: (keep = 0) => {
      for (const link of [...links].slice(keep)) resetLink(link);
    },
  };
};
