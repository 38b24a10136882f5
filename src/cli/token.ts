import { Argument, Command, InvalidArgumentError } from 'commander';
import type { Database } from '../data/connect.js';
import { createToken, TOKEN_KINDS, type TokenKind } from './create-token.js';
import { listTokens, tokenTable } from './list-tokens.js';
import { CommandRefusedError, onDatabase, processTerminal, type Terminal } from './on-database.js';

const refuseForeign = ({ ownership }: Database, isAllowed: boolean | undefined): void => {
  if (ownership === 'ours' || isAllowed) return;
  throw new CommandRefusedError(
    'This database belongs to another service, which has tokens and rules of its own. Make the token there, or say --allow-foreign-database if you mean it.',
  );
};

const days = (text: string): number => {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Give a whole number of days.');
  return Number(text);
};

type Shared = { json?: boolean; allowForeignDatabase?: boolean };
type CreateOptions = Shared & {
  name: string;
  user?: string;
  environment?: string;
  expiresInDays?: number;
};

const subcommand = (parent: Command, name: string, description: string) =>
  parent
    .command(name)
    .description(description)
    .option('--json', 'print JSON instead of text')
    .option('--allow-foreign-database', 'work on a database that another service keeps');

/** `flaggraph token`: makes and lists the tokens of the database the settings name. */
export const tokenCommand = ({ env, print }: Terminal = processTerminal): Command => {
  const command = new Command('token').description('make and list tokens');

  const create = subcommand(command, 'create', 'make a token and print its secret, this once only')
    .addArgument(new Argument('<kind>', 'what the token is for').choices([...TOKEN_KINDS]))
    .requiredOption('--name <name>', 'what the token is called')
    .option('--user <user>', 'owner of a personal token: user name, e-mail or number')
    .option(
      '--environment <name>',
      'environment of a client or frontend token (default: development)',
    )
    .option(
      '--expires-in-days <days>',
      'default: 365 for personal tokens, never for the others',
      days,
    );
  create.action((kind: TokenKind, { json, allowForeignDatabase, ...options }: CreateOptions) =>
    onDatabase(create, { env, migrate: false }, async (database) => {
      refuseForeign(database, allowForeignDatabase);
      const secret = await createToken(database.client, { kind, ...options });
      print(json ? JSON.stringify({ secret }) : secret);
    }),
  );

  const list = subcommand(command, 'list', 'list all tokens, without their secrets');
  list.action(({ json, allowForeignDatabase }: Shared) =>
    onDatabase(list, { env, migrate: false }, async (database) => {
      refuseForeign(database, allowForeignDatabase);
      const tokens = await listTokens(database.client);
      if (json) print(JSON.stringify(tokens, null, 2));
      else for (const line of tokenTable(tokens)) print(line);
    }),
  );
  return command;
};
