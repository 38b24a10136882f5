/** A JSON Schema in the dialect of OpenAPI 3.1. */
export type Schema = { readonly [keyword: string]: unknown };
export type Schemas = { readonly [name: string]: Schema };

export const ref = (name: string, description?: string): Schema => ({
  $ref: `#/components/schemas/${name}`,
  ...(description !== undefined && { description }),
});

const typed =
  (type: string | readonly string[], format?: string) =>
  (description: string): Schema => ({ type, ...(format !== undefined && { format }), description });

export const text = typed('string');
export const textOrNull = typed(['string', 'null']);
export const integer = typed('integer');
export const integerOrNull = typed(['integer', 'null']);
export const number = typed('number');
export const truth = typed('boolean');
export const truthOrNull = typed(['boolean', 'null']);
export const time = typed('string', 'date-time');
export const timeOrNull = typed(['string', 'null'], 'date-time');

/** Any JSON value, as somebody stored it. */
export const anything = (description: string): Schema => ({ description });

export const listOf = (items: Schema, description: string): Schema => ({
  type: 'array',
  items,
  description,
});

export const refOrNull = (name: string, description: string): Schema => ({
  anyOf: [ref(name), { type: 'null' }],
  description,
});

/** An object the gateway builds: these keys and no others, all of them there but the optional ones. */
export const answered = (
  description: string,
  properties: Schemas,
  optional: readonly string[] = [],
): Schema => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

/** An object passed on as it was stored: usual keys, none of them certain. */
export const stored = (description: string, properties: Schemas): Schema => ({
  type: 'object',
  description,
  properties,
});
