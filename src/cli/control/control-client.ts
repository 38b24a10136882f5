import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { z } from 'zod';
import type { Findings } from '../../data/doctor/examine.js';
import type { ReadGrants } from '../../data/doctor/read-grants.js';
import { FolderInUseError } from '../../data/embedded/folder-lock.js';
import { CommandError } from '../command-error.js';
import type { NewToken } from '../create-token.js';
import type { ListedToken } from '../list-tokens.js';
import { type ControlAddress, controlAddress } from './control-address.js';
import type { ControlRequest } from './control-operations.js';

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** The running server that holds an embedded database. */
export type ControlClient = {
  createToken(token: NewToken): Promise<string>;
  listTokens(): Promise<ListedToken[]>;
  revokeToken(token: string): Promise<ListedToken>;
  examine(): Promise<Findings>;
  readGrants(role: string | undefined): Promise<ReadGrants>;
};

type OpenOrCall<Opened, Result> = {
  open: () => Promise<Opened>;
  onOpen: (opened: Opened) => Promise<Result>;
  onServer: (server: ControlClient) => Promise<Result>;
};

/** Opens the embedded database, or uses the server that has it open. */
export const openOrCall = async <Opened, Result>(
  dataDir: string,
  { open, onOpen, onServer }: OpenOrCall<Opened, Result>,
): Promise<Result> => {
  let opened: Opened;
  try {
    opened = await open();
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    const address = controlAddress(dataDir);
    if (!address || !(await isListening(address))) throw error;
    return onServer(createControlClient(address));
  }
  return onOpen(opened);
};

const Token = z.object({
  kind: z.string(),
  name: z.string(),
  secret: z.string(),
  owner: z.string().nullable(),
  expiresAt: z.coerce.date().nullable(),
  expired: z.boolean(),
});

const createControlClient = (address: ControlAddress): ControlClient => {
  const call = async <Result>(command: ControlRequest): Promise<Result> => {
    const { status, body } = await post(address, JSON.stringify(command)).catch(
      ({ message }: Error) => {
        throw new CommandError(`The running server did not respond: ${message}.`);
      },
    );
    const { result, error } = JSON.parse(body) as { result: Result; error?: string };
    if (status !== 200) throw new CommandError(error ?? `The running server returned ${status}.`);
    return result;
  };
  return {
    createToken: (input) => call({ operation: 'createToken', input }),
    listTokens: async () => z.array(Token).parse(await call({ operation: 'listTokens' })),
    revokeToken: async (token) => Token.parse(await call({ operation: 'revokeToken', token })),
    examine: () => call({ operation: 'examine' }),
    readGrants: (role) => call({ operation: 'readGrants', ...(role !== undefined && { role }) }),
  };
};

/** False if the holder of the folder runs on another host, is an older version, or is still starting. */
const isListening = async ({ path }: ControlAddress): Promise<boolean> => {
  const socket = connect({ path });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

const post = ({ path, token }: ControlAddress, body: string) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request(
      {
        socketPath: path,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_BYTES) response.destroy(new Error('The response is too large.'));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString('utf8'),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
