const kept = new WeakSet<Buffer>();

/** For bodies that the process keeps as long as it runs: responses that are not read take no memory for them. */
export const keepBody = (body: Buffer): Buffer => {
  kept.add(body);
  return body;
};

export const isKept = (body: Buffer): boolean => kept.has(body);
