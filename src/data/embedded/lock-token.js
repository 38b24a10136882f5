// @ts-check
// Also used by the embedded database's thread, which runs without a TypeScript loader.
import { readFileSync } from 'node:fs';

/**
 * The token in a lock file. Null if the file is missing or has no token, undefined if it can't be read right now.
 * @param {string} path
 * @returns {string | null | undefined}
 */
export const readToken = (path) => {
  let content;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT' ? null : undefined;
  }
  try {
    const { token } = JSON.parse(content);
    return typeof token === 'string' && /^[\w-]+$/.test(token) ? token : null;
  } catch {
    return null;
  }
};
