const FIXED_SIZE = 8;

/** Approximate length of a value's JSON. Stops counting shortly beyond `most`. */
export const jsonSize = (root: unknown, max: number): number => {
  let size = 0;
  const open: unknown[] = [root];
  while (open.length > 0 && size <= max) {
    const value = open.pop();
    if (typeof value === 'string') size += value.length + 2;
    else if (typeof value !== 'object' || value === null) size += FIXED_SIZE;
    else if (Array.isArray(value)) {
      size += 2 + value.length;
      if (size <= max) for (const item of value) open.push(item);
    } else {
      size += 2;
      for (const key in value) {
        size += key.length + 4;
        open.push((value as Record<string, unknown>)[key]);
      }
    }
  }
  return size;
};
