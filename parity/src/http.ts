import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** A request whose path is sent exactly as written. */
export type WireRequest = {
  method: string;
  /** Path and query string. */
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
};

export type HttpResponse = {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body, decompressed. */
  text: string;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
};

const TIMEOUT_MS = 60_000;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

const DECOMPRESS: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const decode = (bytes: Buffer, encoding: string | undefined): string => {
  const decompress = encoding === undefined ? undefined : DECOMPRESS[encoding];
  return (decompress && bytes.length > 0 ? decompress(bytes) : bytes).toString('utf8');
};

const sendOnce = (
  url: string,
  { method, path, headers, body }: WireRequest,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = httpRequest(
      { hostname, port, method, path, headers, agent, timeout: TIMEOUT_MS },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = decode(Buffer.concat(chunks), response.headers['content-encoding']);
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, text, json: parse(text) });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });

/** Sends a request. Retries once if the server has just closed a reused connection. */
export const send = async (url: string, request: WireRequest): Promise<HttpResponse> => {
  try {
    return await sendOnce(url, request);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return sendOnce(url, request);
  }
};

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The request as a shell command. */
export const toCurl = (url: string, { method, path, headers, body }: WireRequest): string =>
  [
    'curl -i --path-as-is --globoff',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...Object.entries(headers)
      .filter(([name]) => name !== 'content-length')
      .map(([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(body
      ? [
          `--data-binary ${quote(body.length > 2_000 ? `<${body.length} bytes>` : body.toString('utf8'))}`,
        ]
      : []),
    quote(`${url}${path}`),
  ].join(' ');
