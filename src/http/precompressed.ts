import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { keepBody } from './kept-bodies.js';
import { type Encoding, encodingFor } from './send.js';

// Compressed once and sent often, so a higher quality than for other responses pays off.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const compressors: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body) => promisify(gzip)(body),
};

/** A frequently requested body, compressed once per encoding, on first use. */
export const createPrecompressed = (body: Buffer) => {
  keepBody(body);
  const compressed = new Map<Encoding, Promise<Buffer>>();
  const inEncoding = (encoding: Encoding) => {
    const known = compressed.get(encoding) ?? compressors[encoding](body).then(keepBody);
    compressed.set(encoding, known);
    return known;
  };

  return async (
    request: IncomingMessage,
  ): Promise<{ headers: Record<string, string>; body: Buffer }> => {
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (!encoding) return { headers: { vary: 'Accept-Encoding' }, body };
    return {
      headers: { vary: 'Accept-Encoding', 'content-encoding': encoding },
      body: await inEncoding(encoding),
    };
  };
};
