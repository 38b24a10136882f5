import { connect } from 'node:net';

export type RawResponse = {
  /** 0 without a response. */
  status: number;
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
  milliseconds: number;
  /** Whether the timeout elapsed before the server closed the connection. */
  isOpen: boolean;
};

const splitHead = (all: Buffer) => {
  const end = all.indexOf('\r\n\r\n');
  if (end < 0) return { status: 0, headers: [], body: Buffer.alloc(0) };
  const [line = '', ...fields] = all.toString('latin1', 0, end).split('\r\n');
  const headers = fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
  });
  return { status: Number(line.split(' ')[1] ?? 0), headers, body: all.subarray(end + 4) };
};

const isLive = (all: Buffer) =>
  /content-type: text\/event-stream/i.test(all.toString('latin1', 0, 2_000));

/** Sends raw bytes and reads until the server closes. Leaves a live stream after its first bytes. */
export const sendRaw = (
  port: number,
  request: Buffer | string,
  { limitMs, isHead = false }: { limitMs: number; isHead?: boolean },
): Promise<RawResponse> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    const chunks: Buffer[] = [];
    let isOpen = false;
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    const timer = setTimeout(() => {
      isOpen = true;
      socket.destroy();
    }, limitMs);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunks.length === 1 && !isHead && isLive(chunk)) setTimeout(() => socket.destroy(), 100);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({
        ...splitHead(Buffer.concat(chunks)),
        milliseconds: performance.now() - startedAt,
        isOpen,
      });
    });
  });

/** The length of the chunked body; -1 if it is malformed or incomplete. */
const chunkedLength = (body: Buffer): number => {
  for (let offset = 0; ; ) {
    const end = body.indexOf('\r\n', offset);
    if (end < 0) return -1;
    const size = Number.parseInt(body.toString('latin1', offset, end), 16);
    if (Number.isNaN(size)) return -1;
    offset = end + 2 + size + 2;
    if (size === 0) return offset;
  }
};

const isLiveResponse = ({ headers }: RawResponse) =>
  headers.some(([name, value]) => name === 'content-type' && value.startsWith('text/event-stream'));

/** The framing error of a response; null if there is exactly one valid framing. */
export const framingFault = (response: RawResponse, isHead: boolean): string | null => {
  const { status, headers, body } = response;
  if (status === 0) return 'no response';
  const valuesOf = (header: string) =>
    headers.filter(([name]) => name === header).map(([, value]) => value);
  const [lengths, codings] = [valuesOf('content-length'), valuesOf('transfer-encoding')];
  if (lengths.length + codings.length > 1) return 'several framings';
  if (isHead || status === 304 || status === 204)
    return body.length === 0 ? null : 'body not allowed';
  if (lengths.length === 1)
    return Number(lengths[0]) === body.length ? null : 'wrong Content-Length';
  if (isLiveResponse(response)) return null;
  if (codings.length === 1) return chunkedLength(body) === body.length ? null : 'malformed chunks';
  return 'no framing';
};
