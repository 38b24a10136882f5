import { currentWork } from '../data/work/work.js';

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');

/**
 * What an interrupted request may have created, so that the caller can decide whether to retry. Empty for requests
 * that write nothing.
 */
export const outcomeOfWrites = (): { note: string; facts: Readonly<Record<string, unknown>> } => {
  const writes = currentWork()?.writes;
  if (!writes?.isWriting) return { note: '', facts: {} };
  const created = [...writes.created];
  const unknown = [...writes.unknown.keys()];
  const safe = unknown.filter((name) => writes.unknown.get(name));
  const unsafe = unknown.filter((name) => !writes.unknown.get(name));
  const sentences = [
    ...(created.length > 0 ? [`Created: ${quoted(created)}.`] : []),
    ...(safe.length > 0
      ? [`${quoted(safe)} may have been created: retry with the same idempotency key.`]
      : []),
    ...(unsafe.length > 0
      ? [
          `${quoted(unsafe)} may have been created: check whether it exists before you retry, or send an idempotency key to make retries safe.`,
        ]
      : []),
  ];
  return {
    note: sentences.length > 0 ? sentences.join(' ') : 'Nothing was created.',
    facts: { clones: { created, unknown } },
  };
};
