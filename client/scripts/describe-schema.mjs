import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';

const ROOTS = ['Query', 'Mutation', 'Subscription'];

const fieldsOf = (type) => Object.values(type.getFields());
const byName = (a, b) => (a < b ? -1 : 1);
const toObject = (entries) => Object.fromEntries(entries.sort(([a], [b]) => byName(a, b)));

/** A field called `id` identifies the object everywhere, except in errors, which occur once. */
const isEntity = (type) =>
  isNonNullType(type.getFields()['id']?.type) &&
  !type.getInterfaces().some(({ name }) => name === 'Error');

/** A page of a list: it has `pageInfo`, and the field takes a cursor. */
const isConnectionField = (field) => {
  const type = getNamedType(field.type);
  return (
    isObjectType(type) &&
    type.getFields()['pageInfo'] !== undefined &&
    field.args.some(({ name }) => name === 'after')
  );
};

const isObjectList = (field) =>
  isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type));

/** What the caches need to know about the schema. */
export const describeSchema = (schema) => {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const objects = types.filter(isObjectType);
  const connections = objects.filter((type) =>
    objects.some((parent) =>
      fieldsOf(parent).some(
        (field) => isConnectionField(field) && getNamedType(field.type) === type,
      ),
    ),
  );
  const edges = connections.flatMap((type) => {
    const field = type.getFields()['edges'];
    return field ? [getNamedType(field.type)] : [];
  });
  const isPage = (type) => connections.includes(type) || type.name === 'PageInfo';
  const fieldsWhere = (test) =>
    toObject(
      objects
        .map((type) => [
          type.name,
          fieldsOf(type)
            .filter((field) => test(field, type))
            .map(({ name }) => name)
            .sort(byName),
        ])
        .filter(([, fields]) => fields.length > 0),
    );
  const entities = objects.filter(isEntity);
  return {
    possibleTypes: toObject(
      types
        .filter((type) => isCompositeType(type) && !isObjectType(type))
        .map((type) => [
          type.name,
          schema
            .getPossibleTypes(type)
            .map(({ name }) => name)
            .sort(byName),
        ]),
    ),
    entities: entities.map(({ name }) => name).sort(byName),
    numberedEntities: entities
      .filter((type) => getNamedType(type.getFields()['id'].type).name === 'Int')
      .map(({ name }) => name)
      .sort(byName),
    embedded: objects
      .filter((type) => !entities.includes(type) && !ROOTS.includes(type.name))
      .map(({ name }) => name)
      .sort(byName),
    pageTypes: [...connections, ...edges, schema.getType('PageInfo')]
      .map(({ name }) => name)
      .sort(byName),
    connectionFields: fieldsWhere((field) => isConnectionField(field)),
    objectLists: fieldsWhere((field, type) => isObjectList(field) && !isPage(type)),
    fieldTypes: toObject(
      types
        .filter((type) => isObjectType(type) || isInterfaceType(type))
        .map((type) => [
          type.name,
          toObject(
            fieldsOf(type)
              .filter((field) => isCompositeType(getNamedType(field.type)))
              .map((field) => [field.name, getNamedType(field.type).name]),
          ),
        ])
        .filter(([, fields]) => Object.keys(fields).length > 0),
    ),
    scalars: types
      .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
      .map(({ name }) => name)
      .sort(byName),
  };
};
