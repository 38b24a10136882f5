/** Replaces text with spaces, which keeps line numbers and positions. */
export const blank = (text) => text.replaceAll(/[^\n]/g, ' ');

const TOKEN =
  /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|(?<regex>\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*)|[\w$]+|[\s\S]/y;
const TEMPLATE_TEXT = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y;
/** After these, a slash starts a regular expression; otherwise it is a division. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+*%<>~^-]|\b(?:return|typeof|case|in|of))$/;

const matchAt = (pattern, text, at) => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Collects what is not code up to the end of the text, or of the `${…}` that starts there. Returns the end. */
const scanCode = (text, start, parts) => {
  let at = start;
  let before = '';
  let braces = 0;
  while (at < text.length) {
    const { 0: match, groups } = matchAt(TOKEN, text, at);
    const isDivision = groups.regex !== undefined && !BEFORE_REGEX.test(before);
    const token = isDivision ? '/' : match;
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    if (kind && !isDivision) parts.push({ kind, start: at, text: token, before });
    at += token.length;
    if (token === '`') at = scanTemplate(text, at, parts, before);
    if (token === '{') braces++;
    if (token === '}' && braces-- === 0) return at;
    if (groups.comment === undefined && token.trim() !== '') before = (before + token).slice(-40);
  }
  return at;
};

const scanTemplate = (text, start, parts, before) => {
  let at = start;
  for (;;) {
    const [chunk] = matchAt(TEMPLATE_TEXT, text, at);
    parts.push({ kind: 'string', start: at, text: chunk, before });
    at += chunk.length;
    if (text[at] !== '$') return at + 1;
    at = scanCode(text, at + 2, parts);
  }
};

/** The comments, strings and regular expressions of a file, each with the code before it. */
export const scan = (text) => {
  const parts = [];
  scanCode(text, 0, parts);
  return parts;
};
