export type RequestPath = {
  /** As requested. */
  rawPath: string;
  /** Path below the base path. Null for paths outside of it. */
  path: string | null;
  /** Query string without its question mark. */
  query: string | undefined;
};

/** The base path itself may be requested without a trailing slash. */
export const readPath = (requested: string | undefined, basePath: string): RequestPath => {
  const url = (requested ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  const [rawPath = '/', query] = url.replace(/#.*/s, '').split(/\?(.*)/s);
  const path = `${rawPath}/`.startsWith(`${basePath}/`)
    ? rawPath.slice(basePath.length) || '/'
    : null;
  return { rawPath, path, query };
};
