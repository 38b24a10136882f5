import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { completionCommand } from '../../src/cli/completion.js';
import { loadProgram } from '../../src/cli/program.js';
import { COMPLETIONS, scriptFor } from '../testkit/completion.js';

const run = promisify(execFile);

let program: Command;
beforeAll(async () => {
  program = await loadProgram();
});

/** Every command with its options, read from the program itself. */
const commandsBelow = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(commandsBelow),
];

test.each(['bash', 'zsh', 'fish'])(
  'the %s script contains every command and option',
  async (shell) => {
    const script = await scriptFor(shell);
    for (const command of commandsBelow(program)) {
      expect(script).toContain(command.name());
      for (const { long } of command.options) {
        expect(script).toContain(shell === 'fish' ? `-l ${long?.slice(2)}` : long);
      }
    }
  },
);

test('rejects other shells', async () => {
  const command = completionCommand(async () => program).exitOverride();
  command.configureOutput({ writeErr: () => undefined });
  await expect(command.parseAsync(['powershell'], { from: 'user' })).rejects.toThrow(
    /Allowed choices are bash, zsh, fish/,
  );
});

describe('in bash', () => {
  test.each(COMPLETIONS)('%j completes to %j, not to %j', async (words, some, not) => {
    const script = `${await scriptFor('bash')}
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _flaggraph; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['-c', script, 'bash', ...words]);
    const offered = stdout.split('\n');
    expect(offered).toEqual(expect.arrayContaining(some));
    for (const word of not) expect(offered).not.toContain(word);
  });
});
