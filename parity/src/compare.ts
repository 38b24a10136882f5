import { firstDifference } from './diff.js';
import { DIFFERENCES, notedDifferences } from './differences.js';
import type { Exchange } from './exchange.js';

export type Verdict = {
  /** Ids of the deliberate differences that were met. */
  deliberate: string[];
  /** Deliberate differences in words and headers, which leave an answer agreed. */
  noted: string[];
  /** Set where rows may name other authors. */
  hasOtherAuthor?: boolean;
  /** Where the answers still differ, in words. */
  difference?: string;
};

/** Compares two answers; what differs on purpose is taken out, one known difference after the other. */
export const compareAnswers = async (exchange: Exchange): Promise<Verdict> => {
  let current = exchange;
  const deliberate: string[] = [];
  for (const { id, settle } of DIFFERENCES) {
    if (!firstDifference(current.original, current.gateway, 'answer')) break;
    const settled = await settle?.(current);
    if (!settled) continue;
    deliberate.push(id);
    current = { ...current, ...settled };
  }
  const difference = firstDifference(current.original, current.gateway, 'answer');
  return {
    deliberate,
    noted: notedDifferences(exchange),
    ...(current.hasOtherAuthor && { hasOtherAuthor: true }),
    ...(difference && { difference }),
  };
};
