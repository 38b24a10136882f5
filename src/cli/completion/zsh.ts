import type { CommandNode, CompletedOption } from './command-tree.js';

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** `name:description`, as `_describe` expects it. */
const entry = (name: string, description: string): string =>
  quote(`${name.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`);

const valueCase = (path: string, { flags, choices, isFile }: CompletedOption): string => {
  const patterns = flags.map((flag) => quote(`${path}:${flag}`)).join('|');
  if (isFile) return `    ${patterns}) _files; return ;;`;
  return `    ${patterns}) compadd -- ${choices.map(quote).join(' ')}; return ;;`;
};

const wordCase = ({ path, words, options }: CommandNode): string => {
  const commands = words.map(({ name, description }) => entry(name, description));
  const flags = options.flatMap((option) =>
    option.flags.map((flag) => entry(flag, option.description)),
  );
  return `    ${quote(path)}) commands=(${commands.join(' ')}); options=(${flags.join(' ')}) ;;`;
};

/** A completion script for zsh, to source or to store as \`_flaggraph\` in a folder of \`fpath\`. */
export const zshCompletion = (nodes: readonly CommandNode[]): string =>
  [
    '#compdef flaggraph',
    '# zsh completion for flaggraph. Add to ~/.zshrc, after compinit: source <(flaggraph completion zsh)',
    '_flaggraph() {',
    `  local command='' i`,
    '  local -a commands options',
    '  for ((i = 2; i < CURRENT; i++)); do',
    `    case "\${command:+$command }\${words[i]}" in`,
    ...nodes
      .filter(({ path }) => path !== '')
      .map(({ path }) => `      ${quote(path)}) command=${quote(path)} ;;`),
    '    esac',
    '  done',
    `  case "$command:\${words[CURRENT-1]}" in`,
    ...nodes.flatMap(({ path, options }) =>
      options.filter(({ takesValue }) => takesValue).map((option) => valueCase(path, option)),
    ),
    '  esac',
    '  case "$command" in',
    ...nodes.map(wordCase),
    '  esac',
    `  _describe -t commands 'command' commands`,
    `  _describe -o 'option' options`,
    '}',
    `if [[ "\${funcstack[1]}" == '_flaggraph' ]]; then`,
    '  _flaggraph "$@"',
    'else',
    '  compdef _flaggraph flaggraph',
    'fi',
  ].join('\n');
