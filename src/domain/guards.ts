import { DomainError } from './errors.js';

/** Checks one condition; throws a refusal if it is not met. */
export type Guard = () => void | Promise<void>;

/** Checks end after this many refusals, because longer lists are not read. */
export const MAX_REFUSALS = 100;

/** Throws the first refusal; later guards do not run. */
export const runGuards = async (guards: Iterable<Guard>): Promise<void> => {
  for (const guard of guards) await guard();
};

/** Refusals of all guards, in order, without duplicates. */
export const collectRefusals = async (guards: Iterable<Guard>): Promise<DomainError[]> => {
  const refusals = new Map<string, DomainError>();
  for (const guard of guards) {
    if (refusals.size >= MAX_REFUSALS) break;
    try {
      await guard();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const key = `${error.name} ${error.message}`;
      if (!refusals.has(key)) refusals.set(key, error);
    }
  }
  return [...refusals.values()];
};
