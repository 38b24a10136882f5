import { completionCommand } from '../../src/cli/completion.js';
import { loadProgram } from '../../src/cli/program.js';

/** The script that `flaggraph completion <shell>` prints. */
export const scriptFor = async (shell: string): Promise<string> => {
  const printed: string[] = [];
  const command = completionCommand(loadProgram, { print: (line) => printed.push(line) });
  await command.parseAsync([shell], { from: 'user' });
  return printed.join('\n');
};

/** A command line, words that its end completes to, and words that it does not complete to. */
export const COMPLETIONS: [words: string[], some: string[], not: string[]][] = [
  [['flaggraph', ''], ['serve', 'doctor', 'export', 'token', 'completion', 'help'], ['create']],
  [['flaggraph', 'to'], ['token'], ['tail', 'serve']],
  [['flaggraph', 'token', ''], ['create', 'list'], ['serve']],
  [['flaggraph', 'token', 'create', ''], ['admin', 'client', 'frontend', 'personal'], ['list']],
  [['flaggraph', 'token', 'create', 'admin', '--'], ['--name', '--expires-in-days'], ['--output']],
  [['flaggraph', 'export', '--f'], ['--format', '--feature', '--from', '--filter'], ['--url']],
  [['flaggraph', 'export', '--si'], ['--since'], ['--from']],
  [['flaggraph', 'export', '--be'], ['--before'], ['--from']],
  [['flaggraph', 'export', '--format', ''], ['ndjson', 'csv', 'csv-raw'], ['pretty']],
  [['flaggraph', 'tail', '--format', ''], ['ndjson', 'pretty'], ['csv']],
  [['flaggraph', 'completion', ''], ['bash', 'zsh', 'fish'], ['serve']],
];
