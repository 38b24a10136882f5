import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { COMPLETIONS, scriptFor } from '../../testkit/completion.js';
import { requireProgram } from '../../testkit/program.js';

const run = promisify(execFile);
const LATE_MS = 20_000;

describe('in fish', () => {
  beforeAll(() => requireProgram({ command: 'fish', version: ['--version'] }));

  test.each(COMPLETIONS)('%j completes to %j, not to %j', async (words, some, not) => {
    const script = `${await scriptFor('fish')}
      complete -C ${JSON.stringify(words.join(' '))}`;
    const { stdout } = await run('fish', ['--no-config', '-c', script], { timeout: LATE_MS });
    const offered = stdout.split('\n').map((line) => line.split('\t')[0]);
    expect(offered).toEqual(expect.arrayContaining(some));
    for (const word of not) expect(offered).not.toContain(word);
  });
});

describe('in zsh', () => {
  beforeAll(() => requireProgram({ command: 'zsh', version: ['--version'] }));

  test.each(COMPLETIONS)('%j completes to %j, not to %j', async (words, some, not) => {
    // Completion functions run only inside the line editor, so these record what they are given.
    const script = `words=("$@"); CURRENT=$#
      compdef() { :; }
      offer() { local item; for item in "$@"; do [[ $item == "\${words[CURRENT]}"* ]] && print -r -- "$item"; done; }
      _describe() { local name=\${@[-1]}; offer "\${(@)\${(@P)name}%%:*}"; }
      compadd() { shift; offer "$@"; }
      ${await scriptFor('zsh')}
      _flaggraph; true`;
    const { stdout } = await run('zsh', ['-f', '-c', script, 'zsh', ...words], {
      timeout: LATE_MS,
    });
    const offered = stdout.split('\n');
    expect(offered).toEqual(expect.arrayContaining(some));
    for (const word of not) expect(offered).not.toContain(word);
  });
});
