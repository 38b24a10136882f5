export type RequestPath = {
  /** As requested, cut for the log. */
  loggedPath: string;
  /** Path below the base path. Null for paths outside of it. */
  path: string | null;
  /** Query string without its question mark. */
  query: string | undefined;
};

/** Hundreds of paths of 15 KB would fill the buffer of the log. */
const MAX_LOGGED_LENGTH = 500;

/** The base path itself may be requested without a trailing slash. */
export const readPath = (requested: string | undefined, basePath: string): RequestPath => {
  const url = (requested ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  const [rawPath = '/', query] = url.replace(/#.*/s, '').split(/\?(.*)/s);
  const path = `${rawPath}/`.startsWith(`${basePath}/`)
    ? rawPath.slice(basePath.length) || '/'
    : null;
  const isLong = rawPath.length > MAX_LOGGED_LENGTH;
  const loggedPath = isLong ? `${rawPath.slice(0, MAX_LOGGED_LENGTH)}…` : rawPath;
  return { loggedPath, path, query };
};
