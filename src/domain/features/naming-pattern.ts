import { PatternError } from '../errors.js';

export type FeatureNaming = {
  pattern: string | null;
  example: string | null;
  description: string | null;
};

// A naming pattern is somebody else's regular expression, and the engine of the runtime cannot be trusted with it:
// a run can be interrupted, but compiling cannot, and 24 times '(|b*)' before 'bbbbb' takes seconds to compile. So
// the runtime only says whether a pattern is well-formed; matching is done here, in counted steps, and visits no
// state twice, which takes the sting out of most patterns that backtrack for ever.
const MAX_STEPS = 200_000;
const MAX_NESTING = 100;
const MAX_PATTERN_LENGTH = 5000;

class TooHard extends Error {}

/** Where a match stands: at a node, at a place in the name, with its counts and what its groups hold. */
type State = {
  readonly node: Node;
  readonly at: number;
  readonly marks: readonly number[];
  readonly groups: readonly string[];
};
/** A place in the pattern; the moves that lead on come in the order in which they are tried. */
type Node = { readonly id: number; readonly moves: (state: State) => readonly State[] };
type CharTest = (char: string) => boolean;
/** A piece of the pattern that waits to be told what follows it; with a test if it is a single character. */
type Part = { readonly test: CharTest | null; readonly link: (next: Node) => Node };
type Quantifier = { min: number; max: number; isLazy: boolean };

const SETS: Readonly<Record<string, CharTest>> = {
  d: (char) => /\d/.test(char),
  D: (char) => /\D/.test(char),
  w: (char) => /\w/.test(char),
  W: (char) => /\W/.test(char),
  s: (char) => /\s/.test(char),
  S: (char) => /\S/.test(char),
};
const CONTROLS: Readonly<Record<string, string>> = {
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const END: Node = { id: 0, moves: () => [] };

const asTest = (atom: string | CharTest): CharTest =>
  typeof atom === 'string' ? (char) => char === atom : atom;

const setMark = (marks: readonly number[], slot: number, value: number): readonly number[] =>
  marks[slot] === value ? marks : marks.with(slot, value);

/** The names of the capturing groups in their order (null for none), and whether anything refers back to one. */
const scan = (source: string) => {
  const token = /\\(?:[1-9]|k<|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?<([^>=!][^>]*)>|(?!\?))/g;
  const tokens = [...source.matchAll(token)];
  return {
    groupNames: tokens.filter(([text]) => text.startsWith('(')).map(([, name]) => name ?? null),
    hasReferences: tokens.some(([text]) => /^\\(?:[1-9]|k<)/.test(text)),
  };
};

/** Reads a well-formed pattern, as JavaScript reads it without flags, and tells whether the name has a match. */
const matches = (source: string, name: string): boolean => {
  const { groupNames, hasReferences } = scan(source);
  let position = 0;
  let opened = 0;
  let nesting = 0;
  let nodes = 0;
  let slots = 0;
  let steps = 0;

  const node = (moves: Node['moves']): Node => {
    nodes += 1;
    return { id: nodes, moves };
  };

  const search = (starts: readonly State[]): State | null => {
    const stack = starts.toReversed();
    const seen = new Set<number | string>();
    for (let state = stack.pop(); state; state = stack.pop()) {
      if (state.node === END) return state;
      const place = state.node.id * (name.length + 1) + state.at;
      const size = state.marks.length + state.groups.length;
      const key = size === 0 ? place : `${place}:${state.marks}:${state.groups.join('/')}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const moves = state.node.moves(state);
      steps += (1 + moves.length) * (1 + size / 10);
      if (steps > MAX_STEPS) throw new TooHard();
      stack.push(...moves.toReversed());
    }
    return null;
  };

  const one = (test: CharTest, isBehind: boolean): Part => ({
    test,
    link: (next) =>
      node((state) => {
        const from = isBehind ? state.at - 1 : state.at;
        if (from < 0 || from >= name.length || !test(name.charAt(from))) return [];
        return [{ ...state, node: next, at: isBehind ? from : from + 1 }];
      }),
  });

  const claim = (holds: (at: number) => boolean): Part => ({
    test: null,
    link: (next) => node((state) => (holds(state.at) ? [{ ...state, node: next }] : [])),
  });

  const reference = (indexes: readonly number[], isBehind: boolean): Part => ({
    test: null,
    link: (next) =>
      node((state) => {
        const text = indexes.map((index) => state.groups[index - 1]).find(Boolean) ?? '';
        const from = isBehind ? state.at - text.length : state.at;
        if (from < 0 || !name.startsWith(text, from)) return [];
        return [{ ...state, node: next, at: isBehind ? from : from + text.length }];
      }),
  });

  const sequence = (parts: readonly Part[]): Part => ({
    test: (parts.length === 1 && parts[0]?.test) || null,
    link: (next) => parts.reduceRight((after, part) => part.link(after), next),
  });

  const choice = (parts: readonly Part[]): Part => ({
    test: (parts.length === 1 && parts[0]?.test) || null,
    link: (next) => {
      const options = parts.map((part) => part.link(next));
      return node((state) => options.map((option) => ({ ...state, node: option })));
    },
  });

  const capture = (index: number, part: Part, slot: number): Part => ({
    test: null,
    link: (next) => {
      const close = node((state) => {
        const ends = [state.marks[slot] ?? 0, state.at];
        const text = name.slice(Math.min(...ends), Math.max(...ends));
        return [{ ...state, node: next, groups: state.groups.with(index - 1, text) }];
      });
      const body = part.link(close);
      return node((state) => [
        { ...state, node: body, marks: setMark(state.marks, slot, state.at) },
      ]);
    },
  });

  const lookaround = (part: Part, isNegated: boolean): Part => ({
    test: null,
    link: (next) => {
      const inner = part.link(END);
      return node((state) => {
        const end = search([{ ...state, node: inner }]);
        if (isNegated) return end ? [] : [{ ...state, node: next }];
        return end ? [{ ...state, node: next, groups: end.groups }] : [];
      });
    },
  });

  const repeatChar = (test: CharTest, times: Quantifier, isBehind: boolean): Part => ({
    test: null,
    link: (next) =>
      node((state) => {
        const moves: State[] = [];
        for (let count = 0; count <= times.max; count += 1) {
          const at = isBehind ? state.at - count : state.at + count;
          if (count >= times.min) moves.push({ ...state, node: next, at });
          const from = isBehind ? at - 1 : at;
          if (from < 0 || from >= name.length || !test(name.charAt(from))) break;
        }
        return times.isLazy ? moves : moves.reverse();
      }),
  });

  const repeat = (part: Part, times: Quantifier, inside: readonly [number, number]): Part => {
    const { min, max, isLazy } = times;
    const slot = slots;
    slots += 2;
    const forget = (groups: readonly string[]) =>
      groups.map((text, index) => (index >= inside[0] && index < inside[1] ? '' : text));
    return {
      test: null,
      link: (next) => {
        const head = node((state) => {
          const count = state.marks[slot] ?? 0;
          const marks = hasReferences ? setMark(state.marks, slot + 1, state.at) : state.marks;
          const round = { ...state, node: body, marks, groups: forget(state.groups) };
          const stop = { ...state, node: next, marks: setMark(state.marks, slot, 0) };
          if (count < min) return [round];
          if (count >= max) return [stop];
          return isLazy ? [stop, round] : [round, stop];
        });
        const body = part.link(
          node((state) => {
            const count = state.marks[slot] ?? 0;
            // A round that takes nothing ends a repetition; only references could tell the difference.
            if (hasReferences && count >= min && state.at === state.marks[slot + 1]) return [];
            const counted = Math.min(count + 1, Number.isFinite(max) ? max : min);
            return [{ ...state, node: head, marks: setMark(state.marks, slot, counted) }];
          }),
        );
        return node((state) => [{ ...state, node: head, marks: setMark(state.marks, slot, 0) }]);
      },
    };
  };

  const peek = () => source.charAt(position);
  /** What the sticky expression finds right here, and steps over it. */
  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = position;
    const found = token.exec(source);
    if (found) position = token.lastIndex;
    return found;
  };

  const readQuantifier = (): Quantifier | null => {
    const found = take(/([*+?]|\{(\d+)(?:(,)(\d*))?\})(\??)/y);
    if (!found) return null;
    const [, sign = '', from, comma, to, lazy] = found;
    const min = from === undefined ? Number(sign === '+') : Number(from);
    const isOpen = sign === '*' || sign === '+' || (comma !== undefined && to === '');
    const max = sign === '?' ? 1 : comma === undefined ? min : Number(to);
    return { min, max: isOpen ? Number.POSITIVE_INFINITY : max, isLazy: lazy === '?' };
  };

  /** The escapes that mean the same inside and outside of a class; the backslash is behind us. */
  const readEscape = (control: RegExp): string | CharTest => {
    const octal = take(/[0-3][0-7]{0,2}|[4-7][0-7]?/y);
    if (octal) return String.fromCharCode(Number.parseInt(octal[0], 8));
    const code = take(/x([\da-f]{2})/iy) ?? take(/u([\da-f]{4})/iy);
    if (code) return String.fromCharCode(Number.parseInt(code[1] ?? '', 16));
    const char = peek();
    if (char === 'c') {
      const letter = take(control);
      return letter ? String.fromCharCode(letter[0].charCodeAt(1) % 32) : '\\';
    }
    position += 1;
    return SETS[char] ?? CONTROLS[char] ?? char;
  };

  const readClassAtom = (): string | CharTest => {
    const char = peek();
    position += 1;
    if (char !== '\\') return char;
    return take(/b/y) ? '\b' : readEscape(/c[a-z0-9_]/iy);
  };

  const readClass = (): CharTest => {
    const isNegated = take(/\^/y) !== null;
    const tests: CharTest[] = [];
    while (peek() !== ']') {
      const low = readClassAtom();
      const high = take(/-(?!\])/y) ? readClassAtom() : null;
      if (typeof low === 'string' && typeof high === 'string') {
        tests.push((char) => char >= low && char <= high);
      } else {
        tests.push(asTest(low));
        if (high !== null) tests.push(asTest(high), asTest('-'));
      }
    }
    position += 1;
    return (char) => tests.some((test) => test(char)) !== isNegated;
  };

  const readBackslash = (isBehind: boolean): Part => {
    const boundary = take(/b/iy)?.[0];
    if (boundary) {
      const isWord = (at: number) => /\w/.test(name.charAt(at));
      return claim((at) => (isWord(at - 1) !== isWord(at)) === (boundary === 'b'));
    }
    const digits = /^[1-9]\d*/.exec(source.slice(position, position + 5))?.[0];
    if (digits && Number(digits) <= groupNames.length) {
      position += digits.length;
      return reference([Number(digits)], isBehind);
    }
    const hasNames = groupNames.some((groupName) => groupName !== null);
    const named = hasNames ? take(/k<([^>]*)>/y)?.[1] : undefined;
    if (named !== undefined) {
      const indexes = groupNames.flatMap((other, index) => (other === named ? [index + 1] : []));
      if (indexes.length === 0) throw new TooHard();
      return reference(indexes, isBehind);
    }
    return one(asTest(readEscape(/c[a-z]/iy)), isBehind);
  };

  const readCapture = (isBehind: boolean): Part => {
    opened += 1;
    const index = opened;
    const body = readChoice(isBehind);
    if (!hasReferences) return body;
    slots += 1;
    return capture(index, body, slots - 1);
  };

  const readGroup = (isBehind: boolean): Part => {
    const look = take(/\?(<?)([=!])/y);
    if (look) return lookaround(readChoice(look[1] === '<'), look[2] === '!');
    if (take(/\?:/y)) return readChoice(isBehind);
    if (take(/\?<[^>]*>/y) || peek() !== '?') return readCapture(isBehind);
    // Newer runtimes know further kinds of group.
    throw new TooHard();
  };

  const readAtom = (isBehind: boolean): Part => {
    const char = peek();
    position += 1;
    if (char === '^') return claim((at) => at === 0);
    if (char === '$') return claim((at) => at === name.length);
    if (char === '\\') return readBackslash(isBehind);
    if (char === '[') return one(readClass(), isBehind);
    if (char === '.') return one((other) => /./.test(other), isBehind);
    if (char !== '(') return one(asTest(char), isBehind);

    nesting += 1;
    if (nesting > MAX_NESTING) throw new TooHard();
    const group = readGroup(isBehind);
    position += 1;
    nesting -= 1;
    return group;
  };

  const readSequence = (isBehind: boolean): Part => {
    const parts: Part[] = [];
    while (position < source.length && peek() !== '|' && peek() !== ')') {
      const before = opened;
      const atom = readAtom(isBehind);
      const times = readQuantifier();
      if (!times) parts.push(atom);
      else if (atom.test) parts.push(repeatChar(atom.test, times, isBehind));
      else parts.push(repeat(atom, times, [before, opened]));
    }
    return sequence(isBehind ? parts.reverse() : parts);
  };

  const readChoice = (isBehind: boolean): Part => {
    const parts = [readSequence(isBehind)];
    while (take(/\|/y)) parts.push(readSequence(isBehind));
    return choice(parts);
  };

  const first = readChoice(false).link(END);
  const marks = new Array<number>(slots).fill(0);
  const groups = hasReferences ? groupNames.map(() => '') : [];
  const places = Array.from({ length: name.length + 1 }, (_, at) => at);
  return search(places.map((at) => ({ node: first, at, marks, groups }))) !== null;
};

type Verdict = 'fits' | 'misses' | 'too hard';

const judge = (pattern: string, name: string): Verdict => {
  if (pattern.length > MAX_PATTERN_LENGTH) return 'too hard';
  const source = `^${pattern}$`;
  try {
    // Reads the pattern without compiling it.
    new RegExp(source);
  } catch {
    return 'fits';
  }

  try {
    return matches(source, name) ? 'fits' : 'misses';
  } catch (error) {
    if (error instanceof TooHard) return 'too hard';
    throw error;
  }
};

/** Throws PatternError when the name misses the project's naming pattern, or the pattern is too hard to judge. */
export const assertNamingPattern = (name: string, naming: FeatureNaming): void => {
  const { example, description } = naming;
  if (!naming.pattern) return;

  const verdict = judge(naming.pattern, name);
  if (verdict === 'fits') return;

  const pattern = naming.pattern.slice(0, MAX_PATTERN_LENGTH);
  if (verdict === 'too hard') {
    throw new PatternError(
      `The naming pattern of the project takes too long to judge the name '${name}'. Ask an owner of the project for a simpler pattern.`,
      pattern,
      example,
      description,
    );
  }
  throw new PatternError(
    [
      `The name '${name}' does not fit the naming pattern of the project, '${pattern}'.`,
      ...(example ? [`A name that fits is '${example}'.`] : []),
      ...(description ? [`What the pattern asks for: ${description}`] : []),
    ].join(' '),
    pattern,
    example,
    description,
  );
};
