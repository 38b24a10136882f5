import { ExactNumber } from '../data/json/exact-number.js';

/** JSON in a database can have any shape; these functions read it without trusting its shape. */
export type JsonObject = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof ExactNumber);

export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const asIntegers = (value: unknown): number[] =>
  asArray(value).filter((item): item is number => Number.isInteger(item));

export const asObjects = (value: unknown): readonly JsonObject[] => asArray(value).filter(isObject);

export const asStrings = (value: unknown): readonly string[] =>
  asArray(value).filter((item) => typeof item === 'string');
