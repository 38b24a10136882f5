import { isObject, type JsonObject } from '../domain/json.js';
import { mediaTypeOf } from '../http/read-body.js';
import { type BodyCall, readJson } from '../http/read-json.js';
import { invalidValue } from './errors.js';
import type { RestRequest } from './http.js';

export const MAX_BODY_BYTES = 102_400;

export const JSON_MEDIA_TYPE = 'application/json';

/** A body is only read if it is declared as JSON. Anything else counts as an empty object. */
export type RequestBody = { mediaType: string; value: unknown };

/** Reads and parses a JSON body: bounded, decompressed, decoded. */
export const readBody = async (
  request: Pick<RestRequest, 'headers' | 'stream'> & { call: BodyCall },
): Promise<RequestBody> => {
  const mediaType = mediaTypeOf(request.headers);
  if (mediaType !== JSON_MEDIA_TYPE) return { mediaType, value: {} };

  const body = await readJson(request, MAX_BODY_BYTES, request.call);
  return { mediaType, value: body ? body.value : {} };
};

export const readObject = ({ value }: RequestBody): JsonObject => {
  if (isObject(value)) return value;
  throw invalidValue('/body', 'must be an object', value);
};
