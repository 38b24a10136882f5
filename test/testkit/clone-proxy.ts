import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** Cuts a byte stream of PostgreSQL's protocol into its messages. */
const createCutter = (hasGreeting: boolean, onMessage: (type: string, message: Buffer) => void) => {
  let rest = Buffer.alloc(0);
  let greets = hasGreeting;
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const header = greets ? 0 : 1;
      if (rest.length < header + 4) return;
      const size = header + rest.readInt32BE(header);
      if (rest.length < size) return;
      const message = rest.subarray(0, size);
      rest = rest.subarray(size);
      const type = greets ? 'greeting' : String.fromCharCode(message[0] ?? 0);
      greets = false;
      onMessage(type, message);
    }
  };
};

const textAt = (message: Buffer, start: number) =>
  message.toString('utf8', start, message.indexOf(0, start));

type Trap = {
  /** Which statement: its number over all sessions since the trap was set, or how it reads. */
  at: number | RegExp;
  /** Whether the session ends before the server sees the statement, or after it has done it. */
  when: 'before' | 'after';
};

export type StatementProxy = {
  url: string;
  /** The session that sends the statement is ended by the server. */
  setTrap: (trap: Trap) => void;
  /** Takes the trap away; answers the statement that fell into it, or null. */
  takeTrap: () => string | null;
  close: () => Promise<void>;
};

/** Stands between a gateway and its PostgreSQL, and can end a session at any statement. */
export const startStatementProxy = async (target: string): Promise<StatementProxy> => {
  const { hostname, port } = new URL(target);
  const admin = new pg.Client({ connectionString: target });
  await admin.connect();
  const sockets = new Set<Socket>();
  let trap: Trap | null = null;
  let seen = 0;
  let caught: string | null = null;

  /** Whether this statement is the one; from then on the trap is shut. */
  const springs = (statement: string): Trap['when'] | null => {
    if (!trap || caught !== null) return null;
    seen += 1;
    const { at, when } = trap;
    if (typeof at === 'number' ? seen !== at : !at.test(statement)) return null;
    caught = statement;
    return when;
  };

  const server = createServer((client) => {
    const backend = connect(Number(port || 5432), hostname);
    let pid = 0;
    let statement = '';
    let fate: Trap['when'] | null = null;
    // Nobody waits for it: the session's own end is what the gateway sees.
    const endSession = () =>
      void admin.query('select pg_terminate_backend($1)', [pid]).catch(() => undefined);

    const onRequest = createCutter(true, (type, message) => {
      if (fate) return;
      if (type === 'Q') statement = textAt(message, 5);
      if (type === 'P') statement = textAt(message, message.indexOf(0, 5) + 1);
      if (type === 'Q' || type === 'S') fate = springs(statement);
      if (fate === 'before') endSession();
      else backend.write(message);
    });
    const onReply = createCutter(false, (type, message) => {
      if (type === 'K') pid = message.readInt32BE(5);
      const isFarewell = type === 'E' && message.includes('57P01');
      if (fate !== 'after' || isFarewell) client.write(message);
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
    setTrap: (next) => {
      trap = next;
      seen = 0;
      caught = null;
    },
    takeTrap: () => {
      trap = null;
      return caught;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await admin.end();
    },
  };
};
