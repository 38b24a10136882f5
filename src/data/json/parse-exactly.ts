import { ExactNumber, isExact } from './exact-number.js';

/** Where a number with many digits or an exponent may occur, which is rare. */
const UNUSUAL_NUMBER = /[:,[]\s*-?(?:[\d.]{16}|[\d.]+[eE])|^\s*-?[\d.]/;
const TOKEN = /["{}[\]]|-?\d[\d.eE+-]*|true|false|null/g;

type Container = unknown[] | Record<string, unknown>;

const numberOf = (text: string): number | ExactNumber =>
  isExact(text) ? Number(text) : new ExactNumber(text);

/** End of the string whose opening quote is at `start`. */
const endOfText = (json: string, start: number): number => {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
};

/** Builds nested values without recursion, so that any depth works. */
const createBuilder = () => {
  const open: Container[] = [];
  let key: string | null = null;
  let root: unknown;

  const put = (value: unknown): void => {
    const holder = open.at(-1);
    if (holder === undefined) root = value;
    else if (Array.isArray(holder)) holder.push(value);
    else if (key === null) key = String(value);
    else {
      // A plain assignment to `__proto__` would be lost.
      Object.defineProperty(holder, key, {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      });
      key = null;
    }
  };
  return {
    put,
    begin: (container: Container) => {
      put(container);
      open.push(container);
    },
    end: () => open.pop(),
    built: () => root,
  };
};

const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const parseTokens = (json: string): unknown => {
  const { put, begin, end, built } = createBuilder();
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(json); found; found = TOKEN.exec(json)) {
    const [token] = found;
    if (token === '{') begin({});
    else if (token === '[') begin([]);
    else if (token === '}' || token === ']') end();
    else if (token === '"') {
      TOKEN.lastIndex = endOfText(json, found.index);
      put(JSON.parse(json.slice(found.index, TOKEN.lastIndex)));
    } else put(LITERALS.has(token) ? LITERALS.get(token) : numberOf(token));
  }
  return built();
};

/** Like `JSON.parse`, for JSON that a database wrote, but numbers keep their exact value: see `ExactNumber`. */
export const parseExactly = <Value>(json: string): Value =>
  (UNUSUAL_NUMBER.test(json) ? parseTokens(json) : JSON.parse(json)) as Value;
