import { Command } from 'commander';
import { ConfigError } from '../config/config.js';
import { LayoutError } from '../data/layout-error.js';

/** Each is loaded only when it is wanted: a server weighs a lot, and an export is to weigh little. */
const COMMANDS = {
  serve: async () => (await import('./serve.js')).serveCommand(),
  doctor: async () => (await import('./doctor.js')).doctorCommand(),
  export: async () => (await import('./export.js')).exportCommand(),
  tail: async () => (await import('./tail.js')).tailCommand(),
  token: async () => (await import('./token.js')).tokenCommand(),
  demo: async () => (await import('./load-demo.js')).demoCommand(),
} as const;
type CommandName = keyof typeof COMMANDS;
const NAMES = Object.keys(COMMANDS) as CommandName[];

const ADDRESS_CODES = new Set(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND']);

/** What a person must read of a failure: its message if it was meant for him, all of it if nobody foresaw it. */
const tellOf = (error: unknown): string => {
  if (error instanceof ConfigError || error instanceof LayoutError) return error.message;
  const { code = '', message, stack } = error as NodeJS.ErrnoException;
  if (ADDRESS_CODES.has(code)) return `${message}. Set HOST and PORT to another address.`;
  return stack ?? String(error);
};

/** Without this, a misspelt command would be taken for an argument of the default one. */
const assertKnown = (program: Command, word: string | undefined): void => {
  if (word === undefined || word.startsWith('-') || word === 'help') return;
  if (program.commands.some((command) => command.name() === word)) return;
  program.error(`error: there is no command '${word}'`);
};

/** The command line: `serve` unless another command is named. */
export const runProgram = async (argv: readonly string[]): Promise<void> => {
  const program = new Command('flaggraph')
    .description('A GraphQL gateway over the admin data of a feature-flag service.')
    .showHelpAfterError();
  const named = NAMES.filter((name) => name === argv[2]);
  for (const name of named.length > 0 ? named : NAMES) {
    program.addCommand(await COMMANDS[name](), { isDefault: name === 'serve' });
  }
  try {
    assertKnown(program, argv[2]);
    await program.parseAsync(argv);
  } catch (error) {
    process.stderr.write(`${tellOf(error)}\n`);
    process.exitCode = 1;
  }
};
