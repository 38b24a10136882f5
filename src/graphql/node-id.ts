import { BadDataError } from '../domain/errors.js';
import { isStorable } from '../domain/text.js';
import { splitKey } from './join-key.js';

/** Types whose objects have a globally unique ID. */
export const NODE_TYPES = [
  'Event',
  'Feature',
  'Project',
  'Integration',
  'IntegrationEvent',
  'Environment',
  'Segment',
  'Strategy',
  'User',
  'FeatureEnvironment',
  'ProjectEnvironment',
] as const;

export type NodeTypeName = (typeof NODE_TYPES)[number];

/** What an ID identifies: the type of an object and its key within that type. */
export type NodeKey = { type: NodeTypeName; key: string };

const isInteger = (key: string, bits: 32 | 64): boolean =>
  /^(0|-?[1-9]\d{0,18})$/.test(key) && BigInt.asIntN(bits, BigInt(key)) === BigInt(key);

const isPair = (key: string): boolean => splitKey(key)?.every(isStorable) ?? false;

const IS_KEY: Record<NodeTypeName, (key: string) => boolean> = {
  Event: (key) => isInteger(key, 32),
  Feature: isStorable,
  Project: isStorable,
  Integration: (key) => isInteger(key, 32),
  IntegrationEvent: (key) => isInteger(key, 64),
  Environment: isStorable,
  Segment: (key) => isInteger(key, 32),
  Strategy: isStorable,
  User: (key) => isInteger(key, 32),
  FeatureEnvironment: isPair,
  ProjectEnvironment: isPair,
};

/** Whether a text can be the key of an object of this type. */
export const isKey = (type: NodeTypeName, text: string): boolean => IS_KEY[type](text);

/** Names have at most 255 characters, each of up to four bytes. */
const MAX_LENGTH = 2_000;

const invalid = (message: string) => BadDataError.of({ message });

const withArticle = (type: NodeTypeName) => (/^[AEIO]/.test(type) ? `an ${type}` : `a ${type}`);

const isNodeType = (name: string | undefined): name is NodeTypeName =>
  NODE_TYPES.some((type) => type === name);

/** `deployment` is the fingerprint of this deployment; null if there is none. */
export const encodeNodeId = (deployment: string | null, { type, key }: NodeKey): string =>
  Buffer.from(`1:${deployment ?? ''}:${type}:${key}`).toString('base64url');

const split = (id: string): (NodeKey & { deployment: string }) | null => {
  if (id.length > MAX_LENGTH) return null;
  const text = Buffer.from(id, 'base64url').toString();
  const [, deployment, type, key] = /^1:([\w-]*):([A-Za-z]+):(.*)$/s.exec(text) ?? [];
  if (deployment === undefined || !isNodeType(type) || key === undefined) return null;
  // An object has exactly one ID: other encodings of the same text are invalid.
  const isClean = encodeNodeId(deployment, { type, key }) === id && isKey(type, key);
  return isClean ? { deployment, type, key } : null;
};

/** Rejects invalid IDs and IDs of another deployment. */
export const decodeNodeId = (argument: string, id: string, deployment: string | null): NodeKey => {
  const found = split(id);
  if (!found) {
    throw invalid(
      `'${argument}' is not a nodeId. Use the value of a field 'nodeId'. To find an object by its ID or name, use a query such as feature(name:).`,
    );
  }
  // Without a fingerprint on either side, the deployment is unknown and the object is simply looked up.
  if (deployment !== null && found.deployment !== '' && found.deployment !== deployment) {
    throw invalid(
      `'${argument}' is a nodeId of another deployment. Send it to the gateway that returned it, or find the object here by its ID or name with a query such as feature(name:).`,
    );
  }
  return { type: found.type, key: found.key };
};

/** Rejects an object of another type than the expected one, if there is one. */
export const assertType = (
  argument: string,
  { type }: NodeKey,
  expected: NodeTypeName | null | undefined,
): void => {
  if (!expected || type === expected) return;
  throw invalid(
    `'${argument}' is the nodeId of ${withArticle(type)}, not of ${withArticle(expected)}. Use one of ${withArticle(expected)}, or change 'type'.`,
  );
};
