import { firstDifference } from './diff.js';
import { DIFFERENCES, notedDifferences } from './differences.js';
import type { Exchange } from './exchange.js';

export type ComparisonResult = {
  /** IDs of the deliberate differences found. */
  deliberate: string[];
  /** Deliberate differences in wording and headers; the responses still count as equal. */
  noted: string[];
  /** The first difference that is not deliberate, as text. */
  difference?: string;
};

/** Compares two responses after removing each known, deliberate difference. */
export const compareResponses = async (exchange: Exchange): Promise<ComparisonResult> => {
  let current = exchange;
  const deliberate: string[] = [];
  for (const { id, settle } of DIFFERENCES) {
    if (!firstDifference(current.upstream, current.gateway, 'answer')) break;
    const settled = await settle?.(current);
    if (!settled) continue;
    deliberate.push(id);
    current = { ...current, ...settled };
  }
  const difference = firstDifference(current.upstream, current.gateway, 'answer');
  return {
    deliberate,
    noted: notedDifferences(exchange),
    ...(difference && { difference }),
  };
};
