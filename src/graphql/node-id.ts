import { BadDataError } from '../domain/errors.js';
import { isStorable } from '../domain/text.js';

/** The types whose objects have an id that no other object has, of whatever type. */
export const NODE_TYPES = [
  'Event',
  'Feature',
  'Project',
  'Integration',
  'IntegrationEvent',
] as const;

export type NodeTypeName = (typeof NODE_TYPES)[number];

/** What an id stands for: an object by its type and by what tells it from others of that type. */
export type NodeKey = { type: NodeTypeName; key: string };

const isInteger = (key: string, bits: 32 | 64): boolean =>
  /^(0|-?[1-9]\d{0,18})$/.test(key) && BigInt.asIntN(bits, BigInt(key)) === BigInt(key);

const IS_KEY: Record<NodeTypeName, (key: string) => boolean> = {
  Event: (key) => isInteger(key, 32),
  Feature: isStorable,
  Project: isStorable,
  Integration: (key) => isInteger(key, 32),
  IntegrationEvent: (key) => isInteger(key, 64),
};

/** Whether a text can be the key of an object of a type at all. */
export const isKey = (type: NodeTypeName, text: string): boolean => IS_KEY[type](text);

/** Names have at most 255 characters, each of up to four bytes. */
const MAX_LENGTH = 2_000;

const invalid = (message: string) => BadDataError.of({ message });

const anOrA = (type: NodeTypeName) => (/^[AEIOU]/.test(type) ? `an ${type}` : `a ${type}`);

const isNodeType = (name: string | undefined): name is NodeTypeName =>
  NODE_TYPES.some((type) => type === name);

/** The id of an object; `deployment` is the mark of ours, null where there is none. */
export const encodeNodeId = (deployment: string | null, { type, key }: NodeKey): string =>
  Buffer.from(`1:${deployment ?? ''}:${type}:${key}`).toString('base64url');

const split = (id: string): (NodeKey & { deployment: string }) | null => {
  if (id.length > MAX_LENGTH) return null;
  const text = Buffer.from(id, 'base64url').toString();
  const [, deployment, type, key] = /^1:([\w-]*):([A-Za-z]+):(.*)$/s.exec(text) ?? [];
  if (deployment === undefined || !isNodeType(type) || key === undefined) return null;
  // An object has one id only: what reads the same but is written in another way is none.
  const isClean = encodeNodeId(deployment, { type, key }) === id && isKey(type, key);
  return isClean ? { deployment, type, key } : null;
};

/** Whether a text looks like an id of this API, wherever it may come from. */
export const isNodeId = (text: string): boolean => split(text) !== null;

/** Reads an id, and refuses one that is none or that another deployment gave out. */
export const decodeNodeId = (argument: string, id: string, deployment: string | null): NodeKey => {
  const found = split(id);
  if (!found) {
    throw invalid(
      `'${argument}' is not a nodeId: give one that a field 'nodeId' answered. By a number or a name of its own, an object is found with lookup(by:).`,
    );
  }
  // Where either side has no mark it cannot be told; the object is then simply looked for.
  if (deployment !== null && found.deployment !== '' && found.deployment !== deployment) {
    throw invalid(
      `'${argument}' is a nodeId of another deployment: ask the gateway that answered it, or find the object here by its number or name with lookup(by:).`,
    );
  }
  return { type: found.type, key: found.key };
};

/** Refuses an object of another type than the one that is expected, where one is. */
export const assertType = (
  argument: string,
  { type }: NodeKey,
  expected: NodeTypeName | null | undefined,
): void => {
  if (!expected || type === expected) return;
  throw invalid(
    `'${argument}' stands for ${anOrA(type)}, not for ${anOrA(expected)}: give one of ${anOrA(expected)}, or ask for another 'type'.`,
  );
};
