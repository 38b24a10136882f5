import type { Command, Option } from 'commander';

export type CompletedOption = {
  /** `--format`, and its alias if it has one. */
  flags: string[];
  description: string;
  takesValue: boolean;
  choices: readonly string[];
  isFile: boolean;
};

/** What can follow a command. */
export type CommandNode = {
  /** Names from the program to the command, such as `token create`. Empty for the program itself. */
  path: string;
  /** Subcommands, and the choices of the first argument. */
  words: readonly { name: string; description: string }[];
  options: readonly CompletedOption[];
};

const toOption = ({ short, long, description, required, optional, argChoices, flags }: Option) => ({
  flags: [short, long].filter((flag) => flag !== undefined),
  description,
  takesValue: required || optional,
  choices: argChoices ?? [],
  isFile: flags.includes('<file>'),
});

const optionsOf = (command: Command): CompletedOption[] =>
  command.createHelp().visibleOptions(command).map(toOption);

const wordsOf = (command: Command) => [
  ...command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ name: child.name(), description: child.description() })),
  ...(command.registeredArguments[0]?.argChoices ?? []).map((name) => ({ name, description: '' })),
];

const nodesBelow = (command: Command, path: string): CommandNode[] => [
  { path, words: wordsOf(command), options: optionsOf(command) },
  ...command.commands.flatMap((child) => nodesBelow(child, `${path} ${child.name()}`.trim())),
];

/** All commands of a program, the program first. */
export const commandNodes = (program: Command): CommandNode[] => nodesBelow(program, '');
