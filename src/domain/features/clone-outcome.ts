import type { Feature } from '../../data/db.js';
import {
  BadArgumentError,
  DomainError,
  InterruptedError,
  InvalidKeyError,
  UnstorableTextError,
} from '../errors.js';

/** What became of one of several clones that are written together or not at all. */
export type CloneOutcome =
  | { kind: 'copied'; copy: Feature }
  | { kind: 'refused'; error: DomainError }
  /** Not written, because another one was refused. */
  | { kind: 'skipped' };

/** The value, or why there is none. */
export type Settled<Value> = { value: Value } | { error: DomainError };

/** Errors that belong to one clone. All others end the whole operation. */
export const isCloneRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError &&
  !(error instanceof InterruptedError) &&
  (!(error instanceof BadArgumentError) ||
    error instanceof InvalidKeyError ||
    error instanceof UnstorableTextError);

export const settle = async <Value>(
  check: () => Value | Promise<Value>,
): Promise<Settled<Value>> => {
  try {
    return { value: await check() };
  } catch (error) {
    if (!isCloneRefusal(error)) throw error;
    return { error };
  }
};
