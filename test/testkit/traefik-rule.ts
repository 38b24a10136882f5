/** The properties of a request that a routing rule uses. */
export type RuleRequest = { host: string; path: string; headers: Readonly<Record<string, string>> };

type Matcher = (request: RuleRequest, ...values: string[]) => boolean;

const MATCHERS: Readonly<Record<string, Matcher>> = {
  Host: ({ host }, name) => host === name,
  Path: ({ path }, value) => path === value,
  PathRegexp: ({ path }, pattern = '') => new RegExp(pattern).test(path),
  HeaderRegexp: ({ headers }, name = '', pattern = '') => {
    const value = headers[name.toLowerCase()];
    return value !== undefined && new RegExp(pattern).test(value);
  },
};

const TOKEN = /\s*(&&|\|\||[(),!]|`[^`]*`|\w+)/y;

const tokensOf = (rule: string): string[] => {
  const tokens: string[] = [];
  const text = rule.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined) throw new Error(`The rule cannot be read: ${rule}`);
    tokens.push(token);
  }
  return tokens;
};

/** Evaluates a rule of Traefik 3: matchers, `!` before `&&` before `||`, and parentheses. */
export const matchesRule = (rule: string, request: RuleRequest): boolean => {
  const tokens = tokensOf(rule);
  const take = (expected: string) => {
    const token = tokens.shift();
    if (token !== expected) throw new Error(`'${expected}' expected, not '${token}': ${rule}`);
  };

  const readMatcher = (name: string): boolean => {
    const match = MATCHERS[name];
    if (!match) throw new Error(`Unknown matcher '${name}': ${rule}`);
    take('(');
    const values: string[] = [];
    for (;;) {
      values.push((tokens.shift() ?? '').slice(1, -1));
      if (tokens[0] !== ',') break;
      take(',');
    }
    take(')');
    return match(request, ...values);
  };

  const readTerm = (): boolean => {
    const token = tokens.shift() ?? '';
    if (token === '!') return !readTerm();
    if (token !== '(') return readMatcher(token);
    const matches = readDisjunction();
    take(')');
    return matches;
  };
  /** Operands are parsed even if the result is certain: all tokens must be consumed. */
  const readConjunction = (): boolean => {
    let matches = readTerm();
    while (tokens[0] === '&&') {
      take('&&');
      matches = readTerm() && matches;
    }
    return matches;
  };
  const readDisjunction = (): boolean => {
    let matches = readConjunction();
    while (tokens[0] === '||') {
      take('||');
      matches = readConjunction() || matches;
    }
    return matches;
  };

  const isMatch = readDisjunction();
  if (tokens.length > 0) throw new Error(`Unexpected '${tokens[0]}': ${rule}`);
  return isMatch;
};
