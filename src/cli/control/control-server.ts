import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import type { Database } from '../../data/connect.js';
import { LayoutError } from '../../data/layout/layout-error.js';
import { CommandError } from '../command-error.js';
import { type ControlAddress, controlAddress, SOCKET_NAME } from './control-address.js';
import { ControlRequest, runControlRequest } from './control-operations.js';

const MAX_BODY_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 8;
const REQUEST_TIMEOUT_MS = 5_000;
// Sockets are created with mode 0600.
const OWNER_ONLY = 0o177;

export type ControlServer = { path: string; close(): Promise<void> };

export type ControlServerOptions = {
  dataDir: string;
  database: Database;
  /** Called with the operation of each accepted request. */
  onRequest: (operation: ControlRequest['operation']) => void;
  onError: (error: unknown) => void;
};

/**
 * Accepts commands for the embedded database, which only this process can open. Listens on a socket in the data folder
 * that only the owner can use, never on the network. The caller must hold the folder lock.
 */
export const startControlServer = async (options: ControlServerOptions): Promise<ControlServer> => {
  const address = controlAddress(options.dataDir);
  if (!address) throw new CommandError(`The folder ${options.dataDir} is not locked.`);
  removeStaleSockets(dirname(address.path));

  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void respond(request, response, address, options);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, address.path);
  server.on('error', options.onError);
  return {
    path: address.path,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Left behind by servers that were killed. The folder lock proves that none of them is alive. */
const removeStaleSockets = (folder: string): void => {
  if (process.platform === 'win32') return;
  for (const name of readdirSync(folder).filter((entry) => SOCKET_NAME.test(entry))) {
    const path = join(folder, name);
    if (lstatSync(path).isSocket()) rmSync(path, { force: true });
  }
};

const listen = async (server: Server, path: string): Promise<void> => {
  const listening = once(server, 'listening');
  // Node creates the socket within this call, so it is never accessible to other users.
  const mask = process.umask(OWNER_ONLY);
  try {
    server.listen({ path, exclusive: true });
  } finally {
    process.umask(mask);
  }
  await listening;
};

const respond = async (
  request: IncomingMessage,
  response: ServerResponse,
  address: ControlAddress,
  { database, onRequest, onError }: ControlServerOptions,
): Promise<void> => {
  const send = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(body));
  };
  try {
    if (!isAuthorized(request, address)) return send(401, { error: 'Authentication required.' });
    const body = await readBody(request);
    if (body === null) return send(413, { error: 'The request is too large.' });
    const parsed = ControlRequest.safeParse(parseJson(body));
    if (!parsed.success) {
      return send(400, {
        error:
          'The running server does not support this command. Use the same version of flaggraph for both.',
      });
    }

    onRequest(parsed.data.operation);
    send(200, { result: await runControlRequest(database, parsed.data) });
  } catch (error) {
    if (error instanceof CommandError || error instanceof LayoutError) {
      return send(422, { error: error.message });
    }
    onError(error);
    send(500, { error: 'The running server could not carry out the command. See its log.' });
  }
};

const isAuthorized = ({ headers }: IncomingMessage, { token }: ControlAddress): boolean => {
  const actual = Buffer.from(headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
};

const readBody = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read to the end, because leaving the loop would close the connection before the response is sent.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks).toString('utf8') : null;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
