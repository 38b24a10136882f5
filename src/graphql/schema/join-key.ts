/** Identifies a row by several names. Encoded, because names in damaged data can contain the separator. */
export const joinKey = (...names: string[]): string => names.map(encodeURIComponent).join(':');
