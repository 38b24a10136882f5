import { visitInSlices } from '../domain/work.js';
import { jsonSize } from './json-size.js';
import { hasToJson, isOmitted, writeJson } from './write-json.js';

/** Containers this deep are written at once: in a GraphQL response, the items of a list within the items of a list. */
const MAX_DEPTH = 6;

/** Shorter values are written at once, in a fraction of a millisecond. */
const SHORT_SIZE = 16_384;

/** Parts that are joined to one text. */
const JOINED_PARTS = 1_000;

/** Text, or a value that is written at once; the size of a value that is not short is incomplete. */
type Part = string | { value: unknown; size: number };

const isLeaf = (value: object, depth: number): boolean => depth >= MAX_DEPTH || hasToJson(value);

/** The parts of a value's JSON. */
function* partsOf(value: unknown, depth = 0): Generator<Part> {
  const size = jsonSize(value, SHORT_SIZE);
  const isShort = size <= SHORT_SIZE;
  if (isShort || typeof value !== 'object' || value === null || isLeaf(value, depth)) {
    yield { value, size };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      yield* partsOf(isOmitted(item) ? null : item, depth + 1);
    }
    yield ']';
  } else {
    let before = '{';
    for (const [key, item] of Object.entries(value)) {
      if (isOmitted(item)) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* partsOf(item, depth + 1);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

type Bound = {
  /** No more is measured. */
  max: number;
  /** Receives the approximate length so far, before it is written. */
  reserve(length: number): void;
};

const NO_BOUND: Bound = { max: Number.MAX_SAFE_INTEGER, reserve: () => undefined };

/** Like `writeJson`, with other work of the event loop in between. For values of megabytes. */
export const writeJsonInSlices = async (
  value: unknown,
  { max, reserve }: Bound = NO_BOUND,
): Promise<string> => {
  const texts: string[] = [];
  let recent: string[] = [];
  let length = 0;
  // Joining a million short texts at the end would take a tenth of a second.
  const add = (text: string): void => {
    recent.push(text);
    if (recent.length < JOINED_PARTS) return;
    texts.push(recent.join(''));
    recent = [];
  };
  await visitInSlices(partsOf(value), (part) => {
    if (typeof part === 'string') {
      length += part.length;
      add(part);
      return;
    }
    length += part.size <= SHORT_SIZE ? part.size : jsonSize(part.value, max);
    reserve(length);
    add(writeJson(part.value));
  });
  return [...texts, ...recent].join('');
};
