import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** Most requests fit into one slice. */
const SLICE_BYTES = 2_048;
/** Parsing for all connections together pauses after this time per turn of the event loop. */
const TURN_MS = 1;

type Feed = (bytes: Buffer) => void;

/** Steps of connections whose next slice waits, in order of arrival. */
let waiting: (() => void)[] = [];
let spentMs = 0;
let isScheduled = false;

const hasTime = (): boolean => waiting.length === 0 && spentMs < TURN_MS;

const schedule = (): void => {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(runTurn);
};

const runTimed = (step: () => void): void => {
  const startedAt = performance.now();
  try {
    step();
  } finally {
    spentMs += performance.now() - startedAt;
    schedule();
  }
};

/** Each connection proceeds once at most, so that one of them never fills a turn. */
const runTurn = (): void => {
  isScheduled = false;
  spentMs = 0;
  const steps = waiting;
  waiting = [];
  let next = 0;
  for (; next < steps.length && spentMs < TURN_MS; next += 1) runTimed(steps[next] as () => void);
  waiting = [...steps.slice(next), ...waiting];
  if (waiting.length > 0) schedule();
};

/** What the next bytes of a connection are for. */
export type Expected =
  /** A new request. */
  | 'request'
  /** The body of the current request. */
  | 'body'
  /** A new request, but the response to the current one is not finished. */
  | 'later request';

const END_OF_HEADERS = '\r\n\r\n';

/** The bytes up to the end of the headers, or all of them. */
const firstHeaders = (bytes: Buffer): Buffer => {
  const end = bytes.indexOf(END_OF_HEADERS, 0, 'latin1');
  return end === -1 ? bytes : bytes.subarray(0, end + END_OF_HEADERS.length);
};

/**
 * Has the parser of an HTTP server read its connections by turns and in small slices, with other work of the event loop
 * in between, and each request after the response to the previous one. Node parses up to 64 KiB per connection at once:
 * thousands of pipelined requests or one-byte chunks, even when the connection was destroyed at the first. To be called
 * from a `connection` listener. Returns a function to be called after each response.
 */
export const feedInSlices = (socket: Socket, expected: () => Expected): (() => void) => {
  const [feed] = socket.listeners('data') as Feed[];
  if (!feed) return () => undefined;
  let rest: Buffer | null = null;
  let isWanted = true;
  let isWaiting = false;
  const pause = socket.pause.bind(socket);
  const resume = socket.resume.bind(socket);

  const feedSlice = (part: 'request' | 'body', maxBytes: number): number => {
    if (!rest) return 0;
    const bytes = rest.subarray(0, maxBytes);
    const slice = part === 'body' ? bytes : firstHeaders(bytes);
    rest = rest.length > slice.length ? rest.subarray(slice.length) : null;
    feed(slice);
    return slice.length;
  };
  const step = (): void => {
    isWaiting = false;
    for (let left = SLICE_BYTES; rest && left > 0; ) {
      const part = expected();
      if (!isWanted || socket.destroyed || part === 'later request') return;
      left -= feedSlice(part, left);
    }
    if (rest) wait();
    else if (isWanted) resume();
  };
  const wait = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    waiting.push(step);
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
  socket.off('data', feed);
  const isSingle = (bytes: Buffer): boolean => {
    const part = expected();
    return part === 'body' || (part === 'request' && firstHeaders(bytes).length === bytes.length);
  };
  socket.on('data', (bytes: Buffer) => {
    if (bytes.length <= SLICE_BYTES && hasTime() && isSingle(bytes)) {
      return runTimed(() => feed(bytes));
    }
    pause();
    rest = bytes;
    if (hasTime()) runTimed(step);
    else wait();
  });
  return () => {
    if (rest) wait();
  };
};
