import { Argument, Command } from 'commander';
import { bashCompletion } from './completion/bash.js';
import { commandNodes } from './completion/command-tree.js';
import { fishCompletion } from './completion/fish.js';
import { zshCompletion } from './completion/zsh.js';
import { processTerminal, type Terminal } from './terminal.js';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
type Shell = keyof typeof SHELLS;

const HELP = `
Completes commands, options and their values. The script is generated from the
commands themselves; create it again after an upgrade.

Examples:
  $ source <(flaggraph completion bash)    # in ~/.bashrc
  $ source <(flaggraph completion zsh)     # in ~/.zshrc, after compinit
  $ flaggraph completion fish > ~/.config/fish/completions/flaggraph.fish`;

/** `flaggraph completion`: prints a script that completes the commands of the program. */
export const completionCommand = (
  loadProgram: () => Promise<Command>,
  { print }: Pick<Terminal, 'print'> = processTerminal,
): Command =>
  new Command('completion')
    .description('Print a completion script for your shell.')
    .addArgument(
      new Argument('<bash|zsh|fish>', 'shell to complete in').choices(Object.keys(SHELLS)),
    )
    .addHelpText('after', HELP)
    .action(async (shell: Shell) => print(SHELLS[shell](commandNodes(await loadProgram()))));
