/** A name as a statement shows it, in quotes only where it needs them. */
export const quoteName = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

/** The same with its schema in front, unless that is the one everybody has. */
export const qualifiedName = (schema: string, name: string): string =>
  schema === 'public' ? quoteName(name) : `${quoteName(schema)}.${quoteName(name)}`;
