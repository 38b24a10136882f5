import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createPacked } from '../http/packed.js';
import type { Answer } from '../http/send.js';

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  woff: 'font/woff',
  woff2: 'font/woff2',
} as const;

export type AssetType = keyof typeof TYPES;

// Fonts in these forms are compressed already.
const PACKED: readonly string[] = ['woff', 'woff2'];

const FOREVER = 'public, max-age=31536000, immutable';

export type Assets = {
  /** Takes a file in; gives its name, which no other content will ever have. */
  add: (name: string, type: AssetType, body: string | Buffer) => string;
  /** Address of a file for a page. */
  urlOf: (fileName: string) => string;
  find: (fileName: string) => ((request: IncomingMessage) => Promise<Answer>) | undefined;
};

const hashOf = (body: Buffer) =>
  createHash('sha256').update(body).digest('base64url').replace(/[_-]/g, '').slice(0, 12);

/** Files that pages load: each under a name made of its content, so that a browser need never ask again. */
export const createAssets = (basePath: string): Assets => {
  const files = new Map<string, (request: IncomingMessage) => Promise<Answer>>();

  const serve = (type: AssetType, body: Buffer) => {
    const headers = { 'content-type': TYPES[type], 'cache-control': FOREVER };
    const packed = createPacked(body);
    return async (request: IncomingMessage): Promise<Answer> => {
      if (PACKED.includes(type)) return { status: 200, headers, body };
      const form = await packed(request);
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
