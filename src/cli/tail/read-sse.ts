/** A server-sent event. */
export type SseMessage = { event: string; data: string };

/** A line is at most one event, and none is this long. */
const MAX_CHARACTERS = 64_000_000;

/** Not a stream of server-sent events, or a line is too long. */
export class SseError extends Error {
  override readonly name = 'SseError';
}

/** Splits chunked text into lines. A CRLF may be split between chunks. */
const createLineSplitter = (onLine: (line: string) => void) => {
  let rest = '';
  let mayBeginWithLf = false;
  return (chunk: string) => {
    const text = mayBeginWithLf && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    if (chunk !== '') mayBeginWithLf = chunk.endsWith('\r');
    // Only new text can contain a line break.
    if (!/[\r\n]/.test(text)) {
      rest += text;
      if (rest.length > MAX_CHARACTERS) throw new SseError('A line of the stream is too long.');
      return;
    }
    const lines = (rest + text).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
};

/** Builds messages from lines as the HTML standard specifies. An empty line ends a message. */
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

/** Parses server-sent events from arbitrarily chunked bytes. Drops an incomplete message at the end. */
export async function* readSse(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SseMessage> {
  const ready: SseMessage[] = [];
  const addLine = createMessageBuilder((message) => ready.push(message));
  const addText = createLineSplitter(addLine);
  const decoder = new TextDecoder();
  for await (const chunk of bytes) {
    addText(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
  }
}
