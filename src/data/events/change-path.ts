import { isExact } from '../json/exact-number.js';

/** A field that identifies an item of a list, such as its ID. */
export type ItemField = readonly [name: string, value: string | number | boolean | null];

/** A step into a JSON value: to a key of an object, to one item of a list, or to all of its items. */
export type PathStep =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'item'; readonly fields: readonly ItemField[] }
  | { readonly kind: 'items' };

/** Fields that identify the items of a list, most reliable first. */
export const ITEM_KEYS: readonly (readonly string[])[] = [
  ['id'],
  ['name'],
  ['name', 'environment'],
  ['contextName', 'operator'],
  ['contextName', 'operator', 'inverted'],
  ['contextName'],
  ['type', 'value'],
  ['value'],
];

/** Keys and field values that need no quotes. */
const KEY = /[^\s.,=[\]"\\*\p{Cc}\p{Cs}]+/uy;
const VALUE = /[^\s,=[\]"\\*\p{Cc}\p{Cs}]+/uy;
const QUOTED = /"(?:[^"\\\p{Cc}\p{Cs}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy;
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

const matchesFully = (pattern: RegExp, text: string): boolean => {
  pattern.lastIndex = 0;
  return pattern.exec(text)?.[0] === text;
};

const formatKey = (key: string): string => (matchesFully(KEY, key) ? key : JSON.stringify(key));

const formatValue = (value: ItemField[1]): string =>
  typeof value === 'string' && matchesFully(VALUE, value) && !LITERAL.test(value)
    ? value
    : JSON.stringify(value);

/** Appends a step; the empty path is the whole value. */
export const pathTo = (path: string, step: PathStep): string => {
  if (step.kind === 'key') return `${path}${path === '' ? '' : '.'}${formatKey(step.key)}`;
  if (step.kind === 'items') return `${path}[]`;
  const fields = step.fields.map(([name, value]) => `${formatKey(name)}=${formatValue(value)}`);
  return `${path}[${fields.join(',')}]`;
};

/** Example: `strategies[id=7].constraints[].values`. Keys with special characters are quoted as in JSON. */
export const formatPath = (steps: readonly PathStep[]): string => steps.reduce(pathTo, '');

/** Returns null if the text is not a path. */
export const parsePath = (text: string): PathStep[] | null => {
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    at += found?.length ?? 0;
    return found;
  };
  const takeSign = (sign: string): boolean => {
    if (!text.startsWith(sign, at)) return false;
    at += sign.length;
    return true;
  };
  const takeQuoted = (): string | null => {
    const quoted = take(QUOTED);
    return quoted === null ? null : JSON.parse(quoted);
  };

  const takeKey = (): PathStep | null => {
    const key = takeQuoted() ?? take(KEY);
    return key === null ? null : { kind: 'key', key };
  };
  const takeValue = (): ItemField[1] | undefined => {
    const quoted = takeQuoted();
    if (quoted !== null) return quoted;
    const bare = take(VALUE);
    if (bare === null) return undefined;
    const value = LITERAL.test(bare) ? JSON.parse(bare) : bare;
    return typeof value === 'number' && !isExact(bare) ? undefined : value;
  };
  const takeItem = (): PathStep | null => {
    if (takeSign(']') || takeSign('*]')) return { kind: 'items' };
    const fields: ItemField[] = [];
    do {
      const name = takeQuoted() ?? take(KEY);
      if (name === null || !takeSign('=')) return null;
      const value = takeValue();
      if (value === undefined) return null;
      fields.push([name, value]);
    } while (takeSign(','));
    return takeSign(']') ? { kind: 'item', fields } : null;
  };
  const takeStep = (isFirst: boolean): PathStep | null => {
    if (takeSign('[')) return takeItem();
    return isFirst || takeSign('.') ? takeKey() : null;
  };

  const steps: PathStep[] = [];
  while (at < text.length) {
    const step = takeStep(steps.length === 0);
    if (!step) return null;
    steps.push(step);
  }
  return steps;
};
