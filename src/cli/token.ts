import { Argument, Command, InvalidArgumentError } from 'commander';
import type { Database } from '../data/connect.js';
import { toPlainJson, toPlainLine } from '../domain/plain-line.js';
import { CommandError } from './command-error.js';
import { createToken, type NewToken, TOKEN_KINDS, type TokenKind } from './create-token.js';
import { type ListedToken, listTokens, tokenTable } from './list-tokens.js';
import { revokeToken } from './revoke-token.js';
import { processTerminal, type Terminal } from './terminal.js';
import { withDatabaseOrServer } from './with-database.js';

const EXAMPLES = `
Works on the database in DATABASE_URL, else on the embedded one in DATA_DIR, also
while a server runs on it.

Examples:
  $ flaggraph token create admin --name ci
  $ flaggraph token create personal --name laptop --user ada@example.com --expires-in-days 30
  $ flaggraph token create client --name backend --environment production
  $ flaggraph token list --json
  $ flaggraph token revoke ci`;

const FOREIGN = {
  create:
    'Unleash owns this database and applies its own rules to tokens. Create the token in Unleash. To write to its tables anyway, pass --allow-foreign-database and use the role that owns them.',
  revoke:
    'Unleash owns this database and applies its own rules to tokens. Delete the token in Unleash. To write to its tables anyway, pass --allow-foreign-database and use the role that owns them.',
  list: 'Unleash owns this database. Its admin UI lists the tokens. To read its tables instead, pass --allow-foreign-database and use the role that owns them.',
} as const;

const assertOwnDatabase = (
  { ownership }: Database,
  isAllowed: boolean | undefined,
  command: keyof typeof FOREIGN,
): void => {
  if (ownership !== 'flaggraph' && !isAllowed) throw new CommandError(FOREIGN[command]);
};

const parseDays = (text: string): number => {
  if (!/^\d{1,6}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of days, such as 30.');
  }
  return Number(text);
};

type SharedOptions = { json?: boolean; allowForeignDatabase?: boolean };
type CreateOptions = SharedOptions & Omit<NewToken, 'kind'>;

const subcommand = (parent: Command, name: string, description: string) =>
  parent
    .command(name)
    .description(description)
    .option('--json', 'print JSON instead of text')
    .option('--allow-foreign-database', 'use a database that Unleash owns')
    .addHelpText('after', EXAMPLES);

/** `flaggraph token`: creates, lists and revokes the tokens of the configured database. */
export const tokenCommand = ({ env, print }: Terminal = processTerminal): Command => {
  const command = new Command('token')
    .description('Create, list and revoke tokens.')
    .helpCommand('help [command]', 'Print the help of a command.')
    .addHelpText('after', EXAMPLES);

  const create = subcommand(command, 'create', 'Create a token and print its secret, only once.')
    .addArgument(new Argument('<kind>', 'kind of token').choices([...TOKEN_KINDS]))
    .requiredOption('--name <name>', 'name of the token; events record it as their author')
    .option('--user <user>', 'owner of a personal token: username, email or ID')
    .option(
      '--environment <name>',
      'environment of a client or frontend token (default: development)',
    )
    .option(
      '--expires-in-days <days>',
      'lifetime (default: 365 for personal tokens, unlimited for others)',
      parseDays,
    );
  create.action((kind: TokenKind, { json, allowForeignDatabase, ...options }: CreateOptions) => {
    const token = { kind, ...options };
    const show = (secret: string) => print(json ? JSON.stringify({ secret }) : secret);
    return withDatabaseOrServer(create, env, {
      onDatabase: async (database) => {
        assertOwnDatabase(database, allowForeignDatabase, 'create');
        show(await createToken(database.client, token));
      },
      onServer: async (server) => show(await server.createToken(token)),
    });
  });

  const list = subcommand(command, 'list', 'List all tokens, without their secrets.');
  list.action(({ json, allowForeignDatabase }: SharedOptions) => {
    const show = (tokens: ListedToken[]) => {
      for (const line of json ? [toPlainJson(tokens)] : tokenTable(tokens)) print(line);
    };
    return withDatabaseOrServer(list, env, {
      onDatabase: async (database) => {
        assertOwnDatabase(database, allowForeignDatabase, 'list');
        show(await listTokens(database.client));
      },
      onServer: async (server) => show(await server.listTokens()),
    });
  });

  const revoke = subcommand(
    command,
    'revoke',
    'Delete a token, so that the gateway rejects it.',
  ).argument('<token>', 'name of the token, or the start of its secret as listed');
  revoke.action((token: string, { json, allowForeignDatabase }: SharedOptions) => {
    const show = (revoked: ListedToken) =>
      print(
        json
          ? toPlainJson(revoked)
          : toPlainLine(`Revoked ${revoked.kind} token '${revoked.name}' (${revoked.secret}).`),
      );
    return withDatabaseOrServer(revoke, env, {
      onDatabase: async (database) => {
        assertOwnDatabase(database, allowForeignDatabase, 'revoke');
        show(await revokeToken(database.client, token));
      },
      onServer: async (server) => show(await server.revokeToken(token)),
    });
  });
  return command;
};
