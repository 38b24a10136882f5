import { brandWithType } from '@pothos/core';
import type { Context } from './context.js';
import type { NodeKey, NodeTypeName } from './node-id.js';
import type { NodeRow } from './schema/node.js';

type Find = (key: string, context: Context) => Promise<NodeRow | null> | null;

/** Who may see no integrations is told what everybody is told of those that do not exist. */
const forAdmins =
  (find: Find): Find =>
  (key, context) =>
    context.actor.can('ADMIN') ? find(key, context) : null;

const FIND: Record<NodeTypeName, Find> = {
  Event: (key, { pages }) => pages.event(Number(key)),
  Feature: (key, { loaders }) => loaders.feature.load(key),
  Project: (key, { loaders }) => loaders.project.load(key),
  Integration: forAdmins((key, { pages }) => pages.integration.load(Number(key))),
  IntegrationEvent: forAdmins((key, { pages }) => pages.integrationEvent.load(BigInt(key))),
};

/** The object of a type with a key, or null when there is none that the actor may see; one statement for all of a type. */
export const findNode = async ({ type, key }: NodeKey, context: Context) => {
  const row = await FIND[type](key, context);
  // A row does not tell by itself which type it belongs to. Names of types will do, though the signature asks for more.
  brandWithType(row, type as never);
  return row;
};
