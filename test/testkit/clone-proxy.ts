import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** Splits a byte stream of the PostgreSQL protocol into messages. */
const createMessageSplitter = (
  hasStartupMessage: boolean,
  onMessage: (type: string, message: Buffer) => void,
) => {
  let rest = Buffer.alloc(0);
  let isStartup = hasStartupMessage;
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const header = isStartup ? 0 : 1;
      if (rest.length < header + 4) return;
      const size = header + rest.readInt32BE(header);
      if (rest.length < size) return;
      const message = rest.subarray(0, size);
      rest = rest.subarray(size);
      const type = isStartup ? 'greeting' : String.fromCharCode(message[0] ?? 0);
      isStartup = false;
      onMessage(type, message);
    }
  };
};

const textAt = (message: Buffer, start: number) =>
  message.toString('utf8', start, message.indexOf(0, start));

type Trap = {
  /** The statement: its number over all sessions since the trap was set, or a pattern. */
  at: number | RegExp;
  /** Whether the session is terminated before the server receives the statement, or after it has run it. */
  when: 'before' | 'after';
};

export type StatementProxy = {
  url: string;
  /** Runs a callback when a matching statement arrives, before forwarding the statement. Once. */
  holdAt: (at: RegExp, run: () => Promise<unknown>) => void;
  /** The server terminates the session that sends the statement. */
  setTrap: (trap: Trap) => void;
  /** Removes the trap; returns the statement that triggered it, or null. */
  takeTrap: () => string | null;
  close: () => Promise<void>;
};

/** A proxy between a gateway and PostgreSQL that can terminate a session at any statement. */
export const startStatementProxy = async (target: string): Promise<StatementProxy> => {
  const { hostname, port } = new URL(target);
  const admin = new pg.Client({ connectionString: target });
  await admin.connect();
  const sockets = new Set<Socket>();
  let trap: Trap | null = null;
  let seen = 0;
  let triggeredBy: string | null = null;
  let hold: { at: RegExp; run: () => Promise<unknown> } | null = null;

  const takeMatchingHold = (text: string) => {
    if (!hold?.at.test(text)) return null;
    const { run } = hold;
    hold = null;
    return run;
  };

  /** Whether this statement triggers the trap, which triggers only once. */
  const triggerTrap = (statement: string): Trap['when'] | null => {
    if (!trap || triggeredBy !== null) return null;
    seen += 1;
    const { at, when } = trap;
    if (typeof at === 'number' ? seen !== at : !at.test(statement)) return null;
    triggeredBy = statement;
    return when;
  };

  const server = createServer((client) => {
    const backend = connect(Number(port || 5432), hostname);
    let pid = 0;
    let statement = '';
    const prepared = new Map<string, string>();
    /** The text of a statement that a message starts. Null for other messages. */
    const startedBy = (type: string, message: Buffer): string | null => {
      const first = textAt(message, 5);
      if (type === 'Q') return first;
      const second = textAt(message, message.indexOf(0, 5) + 1);
      if (type === 'P') {
        prepared.set(first, second);
        return second;
      }
      // A prepared statement is executed by its name.
      return type === 'B' && second !== '' ? (prepared.get(second) ?? null) : null;
    };
    let sessionEnd: Trap['when'] | null = null;
    // Not awaited: the gateway only sees the end of its session.
    const endSession = () =>
      void admin.query('select pg_terminate_backend($1)', [pid]).catch(() => undefined);

    let pending: Promise<unknown> | null = null;
    const pass = (message: Buffer) => {
      if (pending) pending = pending.then(() => backend.write(message));
      else backend.write(message);
    };
    const onRequest = createMessageSplitter(true, (type, message) => {
      if (sessionEnd) return;
      const started = startedBy(type, message);
      const run = started === null ? null : takeMatchingHold(started);
      if (run) pending = run();
      statement = started ?? statement;
      if (type === 'Q' || type === 'S') sessionEnd = triggerTrap(statement);
      if (sessionEnd === 'before') endSession();
      else pass(message);
    });
    const onReply = createMessageSplitter(false, (type, message) => {
      if (type === 'K') pid = message.readInt32BE(5);
      const isTermination = type === 'E' && message.includes('57P01');
      if (sessionEnd !== 'after' || isTermination) client.write(message);
      else if (type === 'Z') endSession();
    });
    client.on('data', onRequest).on('error', () => undefined);
    backend.on('data', onReply).on('error', () => undefined);
    client.on('close', () => backend.destroy());
    backend.on('close', () => client.destroy());
    for (const socket of [client, backend]) sockets.add(socket.setNoDelay());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const address = server.address();
  const url = new URL(target);
  url.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return {
    url: url.href,
    holdAt: (at, run) => {
      hold = { at, run };
    },
    setTrap: (next) => {
      trap = next;
      seen = 0;
      triggeredBy = null;
    },
    takeTrap: () => {
      trap = null;
      return triggeredBy;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await admin.end();
    },
  };
};
