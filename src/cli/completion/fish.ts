import type { CommandNode, CompletedOption } from './command-tree.js';

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const describe = (description: string): string =>
  description === '' ? '' : ` -d ${quote(description)}`;

const optionLine = (condition: string, option: CompletedOption): string => {
  const flags = option.flags.map((flag) =>
    flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`,
  );
  const value = option.isFile ? ' -r -F' : option.takesValue ? ' -x' : '';
  const choices = option.choices.length > 0 ? ` -a ${quote(option.choices.join(' '))}` : '';
  return `complete -c flaggraph -n ${condition}${flags.join('')}${value}${choices}${describe(option.description)}`;
};

const nodeLines = ({ path, words, options }: CommandNode): string[] => {
  const condition = quote(`__flaggraph_at ${quote(path)}`);
  return [
    ...words.map(
      ({ name, description }) =>
        `complete -c flaggraph -n ${condition} -a ${quote(name)}${describe(description)}`,
    ),
    ...options.map((option) => optionLine(condition, option)),
  ];
};

/** A completion script for fish. */
export const fishCompletion = (nodes: readonly CommandNode[]): string =>
  [
    '# fish completion for flaggraph. Save as ~/.config/fish/completions/flaggraph.fish',
    'function __flaggraph_at',
    "  set -l command ''",
    '  set -l words (commandline -opc)',
    '  for word in $words[2..-1]',
    '    switch (string trim -- "$command $word")',
    ...nodes
      .filter(({ path }) => path !== '')
      .map(({ path }) => `      case ${quote(path)}\n        set command ${quote(path)}`),
    '    end',
    '  end',
    '  test "$command" = "$argv[1]"',
    'end',
    'complete -c flaggraph -f',
    ...nodes.flatMap(nodeLines),
  ].join('\n');
