import { Command } from 'commander';
import { ConfigError } from '../config/config.js';
import { LayoutError } from '../data/layout-error.js';
import { demoCommand } from './load-demo.js';
import { serveCommand } from './serve.js';
import { tokenCommand } from './token.js';

/** A failure a person must read: its message is meant for him, its stack is not. */
const isForPeople = (error: unknown): error is Error =>
  error instanceof ConfigError ||
  error instanceof LayoutError ||
  (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ||
  (error as NodeJS.ErrnoException).code === 'EACCES' ||
  (error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL';

/** The command line: `serve` unless another command is named. */
export const runProgram = async (argv: readonly string[]): Promise<void> => {
  const program = new Command('flaggraph')
    .description('A GraphQL gateway over the admin data of a feature-flag service.')
    .showHelpAfterError()
    .addCommand(serveCommand(), { isDefault: true })
    .addCommand(tokenCommand())
    .addCommand(demoCommand());
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.stderr.write(
      isForPeople(error) ? `${error.message}\n` : `${(error as Error).stack ?? String(error)}\n`,
    );
    process.exitCode = 1;
  }
};
