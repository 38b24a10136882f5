import { entities } from './generated/schema-facts.js';

/** `schemaConfig` of the Relay compiler: global IDs are in `nodeId`. */
export const schemaConfig = {
  nodeInterfaceIdField: 'nodeId',
  nodeInterfaceIdVariableName: 'nodeId',
} as const;

/** `getDataID` of a Relay environment. Fields called `id` are unique per type only. */
export const getDataID = (
  record: Record<string, unknown>,
  typename: string,
): string | undefined => {
  if (typeof record['nodeId'] === 'string') return record['nodeId'];
  const isKeyed = (entities as readonly string[]).includes(typename) && record['id'] != null;
  return isKeyed ? `${typename}:${record['id']}` : undefined;
};
