import { Command } from 'commander';
import { ConfigError } from '../config/config.js';
import { LayoutError } from '../data/layout/layout-error.js';
import { didYouMean } from '../domain/did-you-mean.js';
import { toPlainText } from '../domain/plain-line.js';
import { readVersion } from '../read-version.js';
import { completionCommand } from './completion.js';

/** Loaded on demand: a server needs a lot of memory, an export must need little. */
const COMMANDS = {
  serve: async () => (await import('./serve.js')).serveCommand(),
  doctor: async () => (await import('./doctor.js')).doctorCommand(),
  export: async () => (await import('./export.js')).exportCommand(),
  tail: async () => (await import('./tail.js')).tailCommand(),
  token: async () => (await import('./token.js')).tokenCommand(),
  demo: async () => (await import('./load-demo.js')).demoCommand(),
  completion: async () => completionCommand(() => loadProgram()),
} as const;
type CommandName = keyof typeof COMMANDS;
const NAMES = Object.keys(COMMANDS) as CommandName[];

const HELP = `
Examples:
  $ flaggraph                       # the embedded database with demo data, on port 4000
  $ DATABASE_URL=postgresql://unleash:password@127.0.0.1:5432/unleash flaggraph doctor
  $ flaggraph help export`;

const ADDRESS_CODES = new Set(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND']);

/** The message of an error that the operator can fix, else the stack trace. */
const formatStartError = (error: unknown): string => {
  if (error instanceof ConfigError || error instanceof LayoutError) return error.message;
  const { code = '', message, stack } = error as NodeJS.ErrnoException;
  if (ADDRESS_CODES.has(code)) {
    return `${message}. Choose another address with --host and --port, or HOST and PORT.`;
  }
  return stack ?? String(error);
};

/** Otherwise a misspelled command would be taken for an argument of the default one. */
const assertKnown = (program: Command, commandName: string | undefined): void => {
  if (commandName === undefined || commandName.startsWith('-') || commandName === 'help') return;
  if (NAMES.some((name) => name === commandName)) return;
  program.error(`error: unknown command '${commandName}'.${didYouMean(commandName, NAMES)}`);
};

/** The program with the named commands. Default: all. */
export const loadProgram = async (names: readonly CommandName[] = NAMES): Promise<Command> => {
  const program = new Command('flaggraph')
    .description('GraphQL for Unleash: one typed graph over the admin database.')
    .version(readVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'Print the help of a command.')
    .showHelpAfterError('(flaggraph --help lists commands and options)')
    .addHelpText('after', HELP);
  for (const name of names) {
    program.addCommand(await COMMANDS[name](), { isDefault: name === 'serve' });
  }
  for (const command of program.commands.flatMap((child) => [child, ...child.commands])) {
    command.helpOption('-h, --help', 'print this help');
  }
  return program;
};

/** The command line: `serve` unless another command is named. */
export const runProgram = async (argv: readonly string[]): Promise<void> => {
  const named = NAMES.filter((name) => name === argv[2]);
  const program = await loadProgram(named.length > 0 ? named : NAMES);
  try {
    assertKnown(program, argv[2]);
    await program.parseAsync(argv);
  } catch (error) {
    process.stderr.write(`${toPlainText(formatStartError(error))}\n`);
    process.exitCode = 1;
  }
};
