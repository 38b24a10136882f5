/** Identifies a row by several names. Encoded, because names in damaged data can contain the separator. */
export const joinKey = (...names: string[]): string => names.map(encodeURIComponent).join(':');

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** The two names of a key; null for other texts. */
export const splitKey = (key: string): [string, string] | null => {
  const [first = null, second = null] = key.split(':').map(decode);
  if (first === null || second === null) return null;
  // A row has exactly one key: other encodings of the same names are invalid.
  return joinKey(first, second) === key ? [first, second] : null;
};
