import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createPrecompressed } from '../http/precompressed.js';
import type { HttpResponse } from '../http/send.js';

export const CONTENT_TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  woff: 'font/woff',
  woff2: 'font/woff2',
} as const;

export type AssetType = keyof typeof CONTENT_TYPES;

// These font formats are compressed already.
const ALREADY_COMPRESSED: readonly string[] = ['woff', 'woff2'];

/** For files whose names change with their content. */
export const FOREVER = 'public, max-age=31536000, immutable';

export type Assets = {
  /** Adds a file and returns its name, which is unique to its content. */
  add: (name: string, type: AssetType, body: string | Buffer) => string;
  /** URL of a file for use in a page. */
  urlOf: (fileName: string) => string;
  find: (fileName: string) => ((request: IncomingMessage) => Promise<HttpResponse>) | undefined;
};

const hashOf = (body: Buffer) =>
  createHash('sha256').update(body).digest('base64url').replace(/[_-]/g, '').slice(0, 12);

/** Static files under content-hashed names, so that browsers can cache them forever. */
export const createAssets = (basePath: string): Assets => {
  const files = new Map<string, (request: IncomingMessage) => Promise<HttpResponse>>();

  const serve = (type: AssetType, body: Buffer) => {
    const headers = { 'content-type': CONTENT_TYPES[type], 'cache-control': FOREVER };
    const compressed = createPrecompressed(body);
    return async (request: IncomingMessage): Promise<HttpResponse> => {
      if (ALREADY_COMPRESSED.includes(type)) return { status: 200, headers, body };
      const form = await compressed(request);
      return { status: 200, headers: { ...headers, ...form.headers }, body: form.body };
    };
  };

  return {
    add: (name, type, content) => {
      const body = Buffer.from(content);
      const fileName = `${name}-${hashOf(body)}.${type}`;
      if (!files.has(fileName)) files.set(fileName, serve(type, body));
      return fileName;
    },
    urlOf: (fileName) => `${basePath}/assets/${fileName}`,
    find: (fileName) => files.get(fileName),
  };
};
