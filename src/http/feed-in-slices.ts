import type { Socket } from 'node:net';
import { ownerOf } from './connection-owners.js';
import { createTurns } from './turns.js';

/** Most requests fit into one slice. */
const SLICE_BYTES = 2_048;
/** Parsing for all connections together pauses after this time per turn of the event loop. */
const TURN_MS = 1;

/** Of what follows a malformed request: a client that reads only after sending gets its response. */
const MAX_DISCARDED_BYTES = 1_048_576;

/** Requests arrive in a few pieces. After this many small ones, without a response in between, */
const MAX_SMALL_PIECES = 16;
const SMALL_BYTES = 256;
/** the connection is read after this time, then after twice as long: a read takes as long as parsing hundreds of bytes. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;

type Feed = (bytes: Buffer) => void;

/** Each connection proceeds once or twice per turn at most, so that one of them never fills it. */
const turns = createTurns(TURN_MS);

/** What the next bytes of a connection are for. */
export type Expected =
  /** A new request. */
  | 'request'
  /** The body of the current request. */
  | 'body'
  /** The same, but nothing reads it yet. */
  | 'unread body'
  /** A new request, but the response to the current one is not finished. */
  | 'later request'
  /** Nothing: the connection is read no further. */
  | 'nothing';

export type Feeding = {
  /** To be called after each response. */
  proceed(): void;
  /** Discards what arrives from now on, and stops reading if it is much. */
  stop(): void;
  /** Stops reading the connection. Returns what has arrived and was not parsed. */
  detach(): Buffer;
};

/** Where the parser is if the next bytes are for a request. */
type Position =
  | 'start'
  /** Inside the headers. */
  | 'headers'
  /** The last bytes may have ended a body and begun a request. */
  | 'unknown';

/** New requests before bodies. */
const laneOf = (part: Expected) => (part === 'request' ? 'first' : 'second');

const END_OF_HEADERS = '\r\n\r\n';
const END_BYTES = Buffer.from(END_OF_HEADERS);
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];
/** Of empty lines before a request, which clients should not send. More close the connection. */
const MAX_BLANK_BYTES = 16;

const countBlank = (bytes: Buffer): number => {
  let count = 0;
  while (bytes[count] === LINE_FEED || bytes[count] === CARRIAGE_RETURN) count += 1;
  return count;
};

/** The bytes up to the end of the headers, or all of them. */
const firstHeaders = (bytes: Buffer, from: number): Buffer => {
  const end = bytes.indexOf(END_OF_HEADERS, from, 'latin1');
  return end === -1 ? bytes : bytes.subarray(0, end + END_OF_HEADERS.length);
};

/** A paused connection is read until its buffer is full: here, after one more piece. Node has no other way to set it. */
const readNoFurther = (socket: Socket): void => {
  const { _readableState: state } = socket as unknown as {
    _readableState: { highWaterMark: number };
  };
  state.highWaterMark = 1;
};

/**
 * Has the parser of an HTTP server read its connections by turns and in small slices, with other work of the event loop
 * in between, and each request after the response to the previous one. Node parses up to 64 KiB per connection at once:
 * thousands of pipelined requests or one-byte chunks, even when the connection was destroyed at the first. To be called
 * from a `connection` listener.
 */
export const feedInSlices = (socket: Socket, expected: () => Expected): Feeding => {
  const [listener] = socket.listeners('data') as Feed[];
  if (!listener) {
    const nothing = () => undefined;
    return { proceed: nothing, stop: nothing, detach: () => Buffer.alloc(0) };
  }
  const feed: Feed = (bytes) => listener.call(socket, bytes);
  let rest: Buffer | null = null;
  let position: Position = 'start';
  let blankBytes = 0;
  let isWanted = true;
  let isWaiting = false;
  let isPaused = false;
  let smallPieces = 0;
  const pause = socket.pause.bind(socket);
  const resume = (): Socket => (isPaused ? socket : resumeNow());
  const resumeNow = socket.resume.bind(socket);
  /** Collects what a client sends byte by byte. */
  const pauseIfSlow = (bytes: Buffer): void => {
    if (bytes.length >= SMALL_BYTES) return;
    smallPieces += 1;
    if (smallPieces <= MAX_SMALL_PIECES || isPaused) return;
    isPaused = true;
    readNoFurther(socket);
    pause();
    const pauseMs = MIN_PAUSE_MS * 2 ** (smallPieces - MAX_SMALL_PIECES - 1);
    const end = () => {
      isPaused = false;
      if (isWanted && !rest && !socket.destroyed) resumeNow();
    };
    setTimeout(end, Math.min(pauseMs, MAX_PAUSE_MS)).unref();
  };

  /** Empty lines before a request are not parsed: each of them would be a slice. */
  const skipBlank = (bytes: Buffer): Buffer | null => {
    const blank = countBlank(bytes);
    if (blank === 0) return bytes;
    blankBytes += blank;
    if (blankBytes > MAX_BLANK_BYTES) socket.destroy();
    if (socket.destroyed) return null;
    // They may also end a line or the headers.
    if (position === 'unknown') return bytes;
    return bytes.length > blank ? bytes.subarray(blank) : null;
  };
  const firstSlice = (bytes: Buffer): Buffer =>
    firstHeaders(bytes, position === 'unknown' ? countBlank(bytes) : 0);
  const feedSlice = (part: Expected, maxBytes: number): number => {
    if (rest && part === 'request' && position !== 'headers') rest = skipBlank(rest);
    if (!rest) return 0;
    const bytes = rest.subarray(0, maxBytes);
    const slice = part === 'request' ? firstSlice(bytes) : bytes;
    rest = rest.length > slice.length ? rest.subarray(slice.length) : null;
    feed(slice);
    notePosition(part, slice);
    return slice.length;
  };
  const notePosition = (part: Expected, slice: Buffer): void => {
    if (part !== 'request') {
      position = 'unknown';
      return;
    }
    const isBlank = countBlank(slice) === slice.length;
    if (!isBlank) blankBytes = 0;
    if (expected() !== 'request') {
      position = slice.subarray(-END_OF_HEADERS.length).equals(END_BYTES) ? 'start' : 'unknown';
    } else if (!isBlank) position = 'headers';
  };
  const step = (): void => {
    isWaiting = false;
    for (let left = SLICE_BYTES; rest && left > 0; ) {
      const part = expected();
      if (!isWanted || socket.destroyed || part === 'later request' || part === 'nothing') return;
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
    turns.runLater(ownerOf(socket), step, laneOf(expected()));
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
    const isBlank = position !== 'headers' && countBlank(bytes) > 0;
    return part === 'request' && !isBlank && firstSlice(bytes).length === bytes.length;
  };
  const onData = (bytes: Buffer): void => {
    pauseIfSlow(bytes);
    const part = expected();
    const isNow = turns.hasTime(laneOf(part));
    if (isNow && isSingle(bytes, part)) {
      turns.runNow(() => feed(bytes));
      notePosition(part, bytes);
      return;
    }
    pause();
    rest = bytes;
    if (isNow) turns.runNow(step);
    else wait();
  };
  socket.off('data', listener);
  socket.on('data', onData);
  return {
    proceed: () => {
      smallPieces = 0;
      if (rest) wait();
    },
    stop: () => {
      rest = null;
      socket.off('data', onData);
      isPaused = false;
      let discarded = 0;
      socket.on('data', ({ length }: Buffer) => {
        discarded += length;
        if (discarded > MAX_DISCARDED_BYTES) pause();
      });
      resume();
    },
    detach: () => {
      const unread = rest ?? Buffer.alloc(0);
      rest = null;
      isWanted = false;
      socket.off('data', onData);
      socket.pause = pause;
      socket.resume = resumeNow;
      return unread;
    },
  };
};
