/**
 * Fields that together make up the `id` of a type. Objects selected without `id` are then still recognized.
 * A contract test compares them with the gateway.
 */
const NATURAL_KEYS: Record<string, readonly string[]> = {
  Environment: ['name'],
  Feature: ['name'],
  FeatureEnvironment: ['featureName', 'environmentName'],
  ProjectEnvironment: ['projectId', 'environmentName'],
};

/** Name of a selected `id` where `id` itself could conflict with that of another type. */
export const idAliasOf = (typename: string): string => `idOf${typename}`;

const isKey = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** The `id` of an entity: selected, or composed of its natural key. Undefined if neither was selected. */
export const idOf = (
  typename: string,
  read: (fieldName: string) => unknown,
): string | undefined => {
  const id = read('id') ?? read(idAliasOf(typename));
  if (isKey(id)) return String(id);
  const values = NATURAL_KEYS[typename]?.map(read);
  return values?.every(isKey) ? values.join(':') : undefined;
};
