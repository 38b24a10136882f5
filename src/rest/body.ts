import { BadDataError } from '../domain/errors.js';
import { isObject, type JsonObject } from '../domain/json.js';
import { countBody } from '../domain/work.js';
import { exceedsShape, type JsonShape } from '../http/json-shape.js';
import { announcedLength, mediaTypeOf } from '../http/read-body.js';
import { type BodyCall, readJson } from '../http/read-json.js';
import { invalidValue } from './errors.js';
import type { RestRequest } from './http.js';

export const MAX_BODY_BYTES = 102_400;

/** Unleash accepts bodies of any shape. Parsing 100 KiB of brackets takes 20 ms, and no operation needs them. */
const BODY_SHAPE: JsonShape = { depth: 100, values: 5_000 };

export const JSON_MEDIA_TYPE = 'application/json';

/** A body is only read if it is declared as JSON. Anything else counts as an empty object. */
export type RequestBody = { mediaType: string; value: unknown };

const assertShape = (text: string): void => {
  if (!exceedsShape(text, BODY_SHAPE)) return;
  const { depth, values } = BODY_SHAPE;
  const message = `The request body can have at most ${values} values, nested ${depth} levels deep; this one has more.`;
  throw BadDataError.of({ message, path: '/body' });
};

/** Reads and parses a JSON body: bounded, decompressed, decoded. */
export const readBody = async (
  request: Pick<RestRequest, 'headers' | 'stream'> & { call: BodyCall },
): Promise<RequestBody> => {
  const mediaType = mediaTypeOf(request.headers);
  if (mediaType !== JSON_MEDIA_TYPE) return { mediaType, value: {} };

  countBody(announcedLength(request.headers, MAX_BODY_BYTES));
  const body = await readJson(request, MAX_BODY_BYTES, request.call, assertShape);
  return { mediaType, value: body ? body.value : {} };
};

export const readObject = ({ value }: RequestBody): JsonObject => {
  if (isObject(value)) return value;
  throw invalidValue('/body', 'must be an object', value);
};
