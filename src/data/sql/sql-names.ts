/** Quotes an identifier only where needed. */
export const quoteName = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

/** Adds the schema, unless it is `public`. */
export const qualifiedName = (schema: string, name: string): string =>
  schema === 'public' ? quoteName(name) : `${quoteName(schema)}.${quoteName(name)}`;
