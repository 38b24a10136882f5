import type { FieldPolicy, TypePolicies, TypePolicy } from '@apollo/client/cache';
import { idOf } from '../entity-keys.js';
import {
  connectionFields,
  embedded,
  entities,
  objectLists,
  pageTypes,
} from '../generated/schema-facts.js';
import { combine, isRef, mergeObjectList } from './combine.js';
import { connectionPolicy } from './connection-policy.js';

type FieldPolicies = Record<string, FieldPolicy>;

const listPolicy: FieldPolicy = { merge: mergeObjectList };

/**
 * Without `id` on both sides nothing says whether they are one object: `EventLog.newest` can be another event by now.
 * `createCache` adds `id` to every selection.
 */
const mergeEntity: Exclude<TypePolicy['merge'], boolean | undefined> = (existing, incoming) =>
  isRef(existing) || isRef(incoming) ? incoming : (combine(existing, incoming) ?? incoming);

const fieldPolicies = (typename: string): FieldPolicies => {
  const pick = (fields: Record<string, readonly string[]>, policy: FieldPolicy) =>
    (fields[typename] ?? []).map((name) => [name, policy] as const);
  return Object.fromEntries([
    ...pick(objectLists, listPolicy),
    ...pick(connectionFields, connectionPolicy as FieldPolicy),
  ]);
};

const entityPolicy = (typename: string): TypePolicy => ({
  keyFields: (_object, { readField }) => {
    const id = idOf(typename, (name) => readField(name));
    return id === undefined ? false : `${typename}:${id}`;
  },
  merge: mergeEntity,
  fields: fieldPolicies(typename),
});

/** Snapshots, figures and payloads have no identity: they belong to the field, with its arguments, that returned them. */
const embeddedPolicy = (typename: string): TypePolicy => ({
  keyFields: false,
  ...(!(pageTypes as readonly string[]).includes(typename) && { merge: true }),
  fields: fieldPolicies(typename),
});

/** Cache policies for Apollo Client, for every type of the graph. */
export const typePolicies: TypePolicies = Object.fromEntries([
  ...entities.map((name) => [name, entityPolicy(name)] as const),
  ...embedded.map((name) => [name, embeddedPolicy(name)] as const),
  ['Query', { fields: fieldPolicies('Query') }],
]);
