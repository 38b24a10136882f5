import { DomainError } from './errors.js';

/** Judges one thing; throws a refusal where that stands in the way. */
export type Guard = () => void | Promise<void>;

/** What nobody would read to its end is not worth judging to its end. */
export const MOST_REFUSALS = 100;

/** Throws the first refusal; guards behind it are not asked. */
export const passAll = async (guards: Iterable<Guard>): Promise<void> => {
  for (const guard of guards) await guard();
};

/** The refusals of all guards in their order, each said once. */
export const collectRefusals = async (guards: Iterable<Guard>): Promise<DomainError[]> => {
  const refusals = new Map<string, DomainError>();
  for (const guard of guards) {
    if (refusals.size >= MOST_REFUSALS) break;
    try {
      await guard();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const words = `${error.name} ${error.message}`;
      if (!refusals.has(words)) refusals.set(words, error);
    }
  }
  return [...refusals.values()];
};
