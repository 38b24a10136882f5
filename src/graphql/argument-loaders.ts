import type DataLoader from 'dataloader';
import { isObject } from '../domain/json.js';
import { createLoader } from '../domain/work.js';

export type Batch<Key, Result> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Result>>;

const write = (parts: unknown): string =>
  JSON.stringify(parts, (_key, value) => (typeof value === 'bigint' ? String(value) : value));

/** Siblings share their criteria, which can have thousands of values. */
const writtenCriteria = new WeakMap<object, string>();
const writeCriteria = (criteria: object): string => {
  const written = writtenCriteria.get(criteria) ?? write(criteria);
  writtenCriteria.set(criteria, written);
  return written;
};

const signature = (parts: unknown): string => {
  if (!isObject(parts) || !isObject(parts['criteria'])) return write(parts);
  const { criteria, ...others } = parts;
  return write(others) + writeCriteria(criteria);
};

export const loaderOf = <Key, Result>(batch: Batch<Key, Result>, missing: Result) =>
  createLoader<Key, Result>(async (keys) => {
    const found = await batch(keys);
    return keys.map((key) => found.get(key) ?? missing);
  });

/** One loader per distinct set of arguments, so that siblings with the same arguments share a statement. */
export const loadersByArguments = <Key, Args, Result>(
  batch: (args: Args) => Batch<Key, Result>,
  missing: Result,
) => {
  const loaders = new Map<string, DataLoader<Key, Result>>();
  return (args: Args, key: Key): Promise<Result> => {
    const name = signature(args);
    let loader = loaders.get(name);
    if (!loader) {
      loader = loaderOf(batch(args), missing);
      loaders.set(name, loader);
    }
    return loader.load(key);
  };
};

/** The page of a parent without items. */
export const EMPTY = { rows: [], hasMore: false };
