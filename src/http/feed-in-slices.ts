import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** Most requests fit into one slice. */
const SLICE_BYTES = 2_048;
/** Parsing for all connections together pauses after this time per turn of the event loop. */
const TURN_MS = 1;

type Feed = (bytes: Buffer) => void;

type Step = () => void;
type Lane = 'request' | 'body';

/** Steps of connections whose next slice waits, in order of arrival: new requests first. */
const waiting: Record<Lane, Step[]> = { request: [], body: [] };
let spentMs = 0;
let isScheduled = false;

const hasTime = (lane: Lane): boolean =>
  spentMs < TURN_MS &&
  waiting.request.length === 0 &&
  (lane === 'request' || waiting.body.length === 0);

const schedule = (): void => {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(runTurn);
};

const runTimed = (step: Step): void => {
  const startedAt = performance.now();
  try {
    step();
  } finally {
    spentMs += performance.now() - startedAt;
    schedule();
  }
};

const runWhileTime = (lane: Lane, maxSteps: number): void => {
  const steps = waiting[lane];
  waiting[lane] = [];
  let next = 0;
  while (next < Math.min(steps.length, maxSteps) && spentMs < TURN_MS) {
    runTimed(steps[next] as Step);
    next += 1;
  }
  waiting[lane] = [...steps.slice(next), ...waiting[lane]];
};

/** Each connection proceeds once or twice at most, so that one of them never fills a turn. */
const runTurn = (): void => {
  isScheduled = false;
  spentMs = 0;
  // One body in any case: new requests may never end.
  runWhileTime('body', 1);
  runWhileTime('request', Number.POSITIVE_INFINITY);
  runWhileTime('body', Number.POSITIVE_INFINITY);
  if (waiting.request.length + waiting.body.length > 0) schedule();
};

/** What the next bytes of a connection are for. */
export type Expected =
  /** A new request. */
  | 'request'
  /** The body of the current request. */
  | 'body'
  /** The same, but nothing reads it yet. */
  | 'unread body'
  /** A new request, but the response to the current one is not finished. */
  | 'later request';

export type Feeding = {
  /** To be called after each response. */
  proceed(): void;
  /** Discards what arrives from now on. */
  stop(): void;
};

const laneOf = (part: Expected): Lane => (part === 'request' ? 'request' : 'body');

const END_OF_HEADERS = '\r\n\r\n';
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];
/** Of empty lines before a request, which clients should not send. More close the connection. */
const MAX_BLANK_BYTES = 16;

const countBlank = (bytes: Buffer): number => {
  let count = 0;
  while (bytes[count] === LINE_FEED || bytes[count] === CARRIAGE_RETURN) count += 1;
  return count;
};

/** The bytes up to the end of the headers, or all of them. */
const firstHeaders = (bytes: Buffer): Buffer => {
  const end = bytes.indexOf(END_OF_HEADERS, 0, 'latin1');
  return end === -1 ? bytes : bytes.subarray(0, end + END_OF_HEADERS.length);
};

/**
 * Has the parser of an HTTP server read its connections by turns and in small slices, with other work of the event loop
 * in between, and each request after the response to the previous one. Node parses up to 64 KiB per connection at once:
 * thousands of pipelined requests or one-byte chunks, even when the connection was destroyed at the first. To be called
 * from a `connection` listener.
 */
export const feedInSlices = (socket: Socket, expected: () => Expected): Feeding => {
  const [feed] = socket.listeners('data') as Feed[];
  if (!feed) return { proceed: () => undefined, stop: () => undefined };
  let rest: Buffer | null = null;
  /** Whether the parser has the beginning of a request. */
  let isInHeaders = false;
  let blankBytes = 0;
  let isWanted = true;
  let isWaiting = false;
  const pause = socket.pause.bind(socket);
  const resume = socket.resume.bind(socket);

  /** Empty lines before a request are not parsed: each of them would be a slice. */
  const skipBlank = (bytes: Buffer): Buffer | null => {
    const blank = countBlank(bytes);
    if (blank === 0) return bytes;
    blankBytes += blank;
    if (blankBytes > MAX_BLANK_BYTES) socket.destroy();
    return bytes.length > blank && !socket.destroyed ? bytes.subarray(blank) : null;
  };
  const feedSlice = (part: Expected, maxBytes: number): number => {
    if (rest && part === 'request' && !isInHeaders) rest = skipBlank(rest);
    if (!rest) return 0;
    const bytes = rest.subarray(0, maxBytes);
    const slice = part === 'request' ? firstHeaders(bytes) : bytes;
    rest = rest.length > slice.length ? rest.subarray(slice.length) : null;
    feed(slice);
    if (part === 'request') noteHeaders();
    return slice.length;
  };
  const noteHeaders = (): void => {
    blankBytes = 0;
    isInHeaders = expected() === 'request';
  };
  const step = (): void => {
    isWaiting = false;
    for (let left = SLICE_BYTES; rest && left > 0; ) {
      const part = expected();
      if (!isWanted || socket.destroyed || part === 'later request') return;
      // Only small bodies are fed with their headers: each byte might be a chunk, which takes 200 bytes of memory.
      if (part === 'unread body' && (left === SLICE_BYTES || rest.length > left)) return;
      left -= feedSlice(part, left);
    }
    if (rest) wait();
    else if (isWanted) resume();
  };
  const wait = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    waiting[laneOf(expected())].push(step);
    schedule();
  };

  // The parser pauses and resumes the connection itself, to wait for readers of bodies and responses.
  socket.pause = () => {
    isWanted = false;
    return pause();
  };
  socket.resume = () => {
    isWanted = true;
    if (!rest) return resume();
    wait();
    return socket;
  };
  const isSingle = (bytes: Buffer, part: Expected): boolean => {
    if (bytes.length > SLICE_BYTES) return false;
    if (part === 'body') return true;
    const isBlank = !isInHeaders && countBlank(bytes) > 0;
    return part === 'request' && !isBlank && firstHeaders(bytes).length === bytes.length;
  };
  const onData = (bytes: Buffer): void => {
    const part = expected();
    const isNow = hasTime(laneOf(part));
    if (isNow && isSingle(bytes, part)) {
      runTimed(() => feed(bytes));
      if (part === 'request') noteHeaders();
      return;
    }
    pause();
    rest = bytes;
    if (isNow) runTimed(step);
    else wait();
  };
  socket.off('data', feed);
  socket.on('data', onData);
  return {
    proceed: () => {
      if (rest) wait();
    },
    stop: () => {
      rest = null;
      socket.off('data', onData);
      resume();
    },
  };
};
