import { CLONE_COST } from '../domain/cost.js';
import { BadDataError, ContentTypeError } from '../domain/errors.js';
import { JSON_MEDIA_TYPE, type RequestBody, readObject } from './body.js';
import { invalidValue } from './errors.js';
import { readIdempotencyKey } from './idempotency-key.js';
import { readStorable } from './query-params.js';
import type { ClonedFeature } from './rest-operations.js';
import { defineRoute } from './route.js';

const assertJson = ({ mediaType }: RequestBody) => {
  if (mediaType === JSON_MEDIA_TYPE) return;
  const actual = mediaType === '' ? 'no content type' : `content type '${mediaType}'`;
  throw new ContentTypeError(`This request has ${actual}. Send ${JSON_MEDIA_TYPE}.`);
};

const readName = (value: unknown): string => {
  if (value === undefined) {
    const path = '/body/name';
    throw BadDataError.of({ path, message: `'${path}' is required: the name of the new feature.` });
  }
  if (value === null) return '';
  if (typeof value === 'object') throw invalidValue('/body/name', 'must be a string', value);
  return readStorable('/body/name', String(value));
};

const TRUE: readonly unknown[] = [undefined, true, 'true', 1];
const FALSE: readonly unknown[] = [false, 'false', 0, null];

const readReplaceGroupId = (value: unknown): boolean => {
  if (TRUE.includes(value)) return true;
  if (FALSE.includes(value)) return false;
  throw invalidValue('/body/replaceGroupId', 'must be a boolean', value);
};

// Unleash's keys in its order. It omits the others.
const toJson = (feature: ClonedFeature) => {
  const { name, description, type, project, stale, createdAt, lastSeenAt, ...rest } = feature;
  const { impressionData, archivedAt, archived, ...further } = rest;
  return {
    name,
    description,
    type,
    project,
    stale,
    createdAt,
    lastSeenAt,
    impressionData,
    archivedAt,
    archived,
    ...further,
  };
};

export const cloneFeatureRoute = defineRoute({
  method: 'POST',
  path: '/api/admin/projects/:projectId/features/:featureName/clone',
  guide: 'clone-feature',
  authorize: (actor, { projectId }) => actor.require('CREATE_FEATURE', { project: projectId }),
  parse: ({ params, headers, body }) => {
    assertJson(body);
    const idempotencyKey = readIdempotencyKey(headers['idempotency-key']);
    const { name, replaceGroupId } = readObject(body);
    return {
      name: readName(name),
      replaceGroupId: readReplaceGroupId(replaceGroupId),
      source: readStorable('/params/featureName', params.featureName),
      targetProject: readStorable('/params/projectId', params.projectId),
      ...(idempotencyKey !== null && { idempotencyKey }),
    };
  },
  cost: () => CLONE_COST,
  run: async (operations, actor, input) => {
    const { name } = await operations.cloneFeature(actor, input);
    return toJson(await operations.getFeatureRecord(actor, name));
  },
});
