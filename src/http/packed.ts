import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Encoding, encodingFor } from './send.js';

// What is packed once and sent often is worth more effort than an answer.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const packers: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body) => promisify(gzip)(body),
};

/** A body that many will ask for: compressed once for each encoding, when the first one takes it. */
export const createPacked = (body: Buffer) => {
  const packed = new Map<Encoding, Promise<Buffer>>();
  const inEncoding = (encoding: Encoding) => {
    const known = packed.get(encoding) ?? packers[encoding](body);
    packed.set(encoding, known);
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
