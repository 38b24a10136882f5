import type { CommandNode, CompletedOption } from './command-tree.js';

const valueCase = (path: string, { flags, choices, isFile }: CompletedOption): string => {
  const patterns = flags.map((flag) => `'${path}:${flag}'`).join('|');
  if (isFile) {
    return `    ${patterns}) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;`;
  }
  return `    ${patterns}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$cur")); return ;;`;
};

const wordCase = ({ path, words, options }: CommandNode): string => {
  const all = [...words.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
  return `    '${path}') COMPREPLY=($(compgen -W '${all.join(' ')}' -- "$cur")) ;;`;
};

/** A completion script for bash. Names of commands and options contain no characters that need quoting. */
export const bashCompletion = (nodes: readonly CommandNode[]): string =>
  [
    '# bash completion for flaggraph. Add to ~/.bashrc: source <(flaggraph completion bash)',
    '_flaggraph() {',
    `  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command='' i`,
    '  COMPREPLY=()',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    `    case "\${command:+$command }\${COMP_WORDS[i]}" in`,
    ...nodes
      .filter(({ path }) => path !== '')
      .map(({ path }) => `      '${path}') command='${path}' ;;`),
    '    esac',
    '  done',
    '  case "$command:$prev" in',
    ...nodes.flatMap(({ path, options }) =>
      options.filter(({ takesValue }) => takesValue).map((option) => valueCase(path, option)),
    ),
    '  esac',
    '  case "$command" in',
    ...nodes.map(wordCase),
    '  esac',
    '}',
    'complete -F _flaggraph flaggraph',
  ].join('\n');
