import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Answer = {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string | Buffer | null;
};

const WORTH_COMPRESSING = 1024;
const COMPRESSIBLE = /^(text\/|application\/([\w.-]+\+)?json|image\/svg)/;

export type Encoding = 'br' | 'gzip';

const encoders = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
};

/** The encoding the caller takes, best first; `q=0` refuses one, and `*` stands for those that are not named. */
export const encodingFor = (accepted: string | undefined): Encoding | null => {
  const offers = (accepted ?? '').split(',').map((offer) => {
    const [token, ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    return { token, isRefused: parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) };
  });
  const takes = (name: string) => {
    const named = offers.filter(({ token }) => token === name);
    const meant = named.length > 0 ? named : offers.filter(({ token }) => token === '*');
    return meant.some(({ isRefused }) => !isRefused);
  };
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null;
};

const withEncoding = (vary: string | undefined) => {
  if (vary === undefined) return 'Accept-Encoding';
  return /\baccept-encoding\b/i.test(vary) ? vary : `${vary}, Accept-Encoding`;
};

/** Compresses an answer that is worth it. */
export const compress = async (request: IncomingMessage, answer: Answer): Promise<Answer> => {
  const { body, headers } = answer;
  if (body === null || !COMPRESSIBLE.test(headers['content-type'] ?? '')) return answer;
  if (headers['content-encoding'] !== undefined) return answer;
  if (Buffer.byteLength(body) <= WORTH_COMPRESSING) return answer;

  const vary = withEncoding(headers['vary']);
  const encoding = encodingFor(request.headers['accept-encoding']);
  if (!encoding) return { ...answer, headers: { ...headers, vary } };
  return {
    ...answer,
    headers: { ...headers, vary, 'content-encoding': encoding },
    body: await encoders[encoding](Buffer.from(body)),
  };
};

/** Writes an answer whole. */
export const send = async (
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> => {
  const { status, headers, body } = await compress(request, answer);
  response.writeHead(status, {
    'x-content-type-options': 'nosniff',
    ...headers,
    ...(body !== null && { 'content-length': String(Buffer.byteLength(body)) }),
  });
  response.end(request.method === 'HEAD' ? undefined : (body ?? undefined));
};
