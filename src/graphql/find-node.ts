import { brandWithType } from '@pothos/core';
import { seesIntegrations } from '../domain/integrations/integration-access.js';
import { mayLookUp } from '../domain/users/person.js';
import type { Context } from './context.js';
import { splitKey } from './join-key.js';
import type { NodeKey, NodeTypeName } from './node-id.js';
import { findEnvironment } from './schema/environment.js';
import type { NodeRow } from './schema/node.js';
import { findUser } from './schema/user.js';

type Find = (key: string, context: Context) => Promise<NodeRow | null> | null;

/** Callers that may not see integrations get the same result as for missing ones. */
const ifVisible =
  (find: Find): Find =>
  (key, context) =>
    seesIntegrations(context.actor) ? find(key, context) : null;

const FIND: Record<NodeTypeName, Find> = {
  Event: (key, { pages }) => pages.event(Number(key)),
  Feature: (key, { loaders }) => loaders.feature.load(key),
  Project: (key, { loaders }) => loaders.project.load(key),
  Integration: ifVisible((key, { pages }) => pages.integration.load(Number(key))),
  IntegrationEvent: ifVisible((key, { pages }) => pages.integrationEvent.load(BigInt(key))),
  Environment: (key, { loaders }) => findEnvironment(key, loaders),
  Segment: (key, { loaders }) => loaders.segment.load(Number(key)),
  Strategy: async (key, { loaders }) => {
    const place = await loaders.placeOfStrategy.load(key);
    // Strategies are visible with their feature.
    if (!place || !(await loaders.feature.load(place.featureName))) return null;
    const strategies = await loaders.strategiesOfFeature.load(place.featureName);
    return strategies.find(({ id }) => id === key) ?? null;
  },
  User: async (key, { actor, loaders }) => {
    const user = await findUser(Number(key), loaders);
    return user && mayLookUp(actor, user) ? user : null;
  },
  FeatureEnvironment: async (key, { loaders }) => {
    const [featureName = '', environmentName] = splitKey(key) ?? [];
    if (!(await loaders.feature.load(featureName))) return null;
    const rows = await loaders.environmentsOfFeature.load(featureName);
    return rows.find((row) => row.environmentName === environmentName) ?? null;
  },
  ProjectEnvironment: async (key, { loaders }) => {
    const [projectId = '', environmentName] = splitKey(key) ?? [];
    if (!(await loaders.project.load(projectId))) return null;
    const rows = await loaders.environmentsOfProject.load(projectId);
    return rows.find((row) => row.environmentName === environmentName) ?? null;
  },
};

/** The object with this type and key; null if the actor sees none. One statement for all objects of a type. */
export const findNode = async ({ type, key }: NodeKey, context: Context) => {
  const row = await FIND[type](key, context);
  // A row does not contain its type. The name of the type suffices, although the signature requires more.
  brandWithType(row, type as never);
  return row;
};
