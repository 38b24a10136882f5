/** A JSON Schema in the OpenAPI 3.1 dialect. */
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
export const boolean = typed('boolean');
export const booleanOrNull = typed(['boolean', 'null']);
export const time = typed('string', 'date-time');
export const timeOrNull = typed(['string', 'null'], 'date-time');

/** Any JSON value, as stored. */
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

/** A string that usually matches `usual`. Other stored values are returned unchanged and still validate. */
export const usually = (description: string, usual: Schema, otherwise: string): Schema => ({
  description,
  anyOf: [
    { type: 'string', ...usual },
    { type: 'string', description: otherwise },
  ],
});

/** An object that the gateway builds: exactly these keys, all required except the optional ones. */
export const strictObject = (
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

/** An object returned as stored: common keys, none of them guaranteed. */
export const looseObject = (description: string, properties: Schemas): Schema => ({
  type: 'object',
  description,
  properties,
});
