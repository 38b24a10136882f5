import { z } from 'zod';
import type { Database } from '../../data/connect.js';
import { examine } from '../../data/doctor/examine.js';
import { readGrants } from '../../data/doctor/read-grants.js';
import { tableOf } from '../../data/layout/layout.js';
import { createToken, TOKEN_KINDS } from '../create-token.js';
import { listTokens } from '../list-tokens.js';
import { revokeToken } from '../revoke-token.js';

const text = z.string().max(1_000);

const NewToken = z.strictObject({
  kind: z.enum(TOKEN_KINDS),
  name: text,
  user: text.optional(),
  environment: text.optional(),
  expiresInDays: z.number().optional(),
});

/** A command that a running server carries out on its embedded database. */
export const ControlRequest = z.discriminatedUnion('operation', [
  z.strictObject({ operation: z.literal('createToken'), input: NewToken }),
  z.strictObject({ operation: z.literal('listTokens') }),
  z.strictObject({ operation: z.literal('revokeToken'), token: text }),
  z.strictObject({ operation: z.literal('examine') }),
  z.strictObject({ operation: z.literal('readGrants'), role: text.optional() }),
]);
export type ControlRequest = z.infer<typeof ControlRequest>;

/** Runs the same functions as a command that opens the database itself. */
export const runControlRequest = (
  database: Database,
  request: ControlRequest,
): Promise<unknown> => {
  const { client, connection } = database;
  switch (request.operation) {
    case 'createToken':
      return createToken(client, request.input);
    case 'listTokens':
      return listTokens(client);
    case 'revokeToken':
      return revokeToken(client, request.token);
    case 'examine':
      return examine(connection, tableOf);
    case 'readGrants':
      return readGrants(connection, tableOf, request.role);
  }
};
