/** A message of a stream of server-sent events. */
export type SseMessage = { event: string; data: string };

/** A line of the stream is one event at most; nobody's is as long. */
const MOST_CHARACTERS = 64_000_000;

/** The stream is none of server-sent events, or none that can be held. */
export class SseError extends Error {
  override readonly name = 'SseError';
}

/** The lines of a text that comes in pieces; a CRLF may be cut in two. */
const createLineCutter = (onLine: (line: string) => void) => {
  let rest = '';
  let mayBeginWithLf = false;
  return (piece: string) => {
    const text = mayBeginWithLf && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') mayBeginWithLf = piece.endsWith('\r');
    // Only what is new can hold an end of line.
    if (!/[\r\n]/.test(text)) {
      rest += text;
      if (rest.length > MOST_CHARACTERS) throw new SseError('A line of the stream has no end.');
      return;
    }
    const lines = (rest + text).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
};

/** Puts messages together out of lines, as the HTML standard says; an empty line ends one. */
const createMessageBuilder = (onMessage: (message: SseMessage) => void) => {
  let event = '';
  let data: string[] = [];
  return (line: string) => {
    if (line === '') {
      // Unlike in a browser, a message without data counts: `complete` is one.
      if (event !== '' || data.length > 0) {
        onMessage({ event: event || 'message', data: data.join('\n') });
      }
      event = '';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  };
};

/** Reads server-sent events out of bytes that are cut anywhere; an unfinished message at the end is none. */
export async function* readSse(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SseMessage> {
  const ready: SseMessage[] = [];
  const addLine = createMessageBuilder((message) => ready.push(message));
  const addText = createLineCutter(addLine);
  const decoder = new TextDecoder();
  for await (const chunk of bytes) {
    addText(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
  }
}
