const AND = new Intl.ListFormat('en', { type: 'conjunction' });

/** `development, staging, and production`; long lists are cut. */
export const listText = (items: readonly string[], max = 12): string => {
  if (items.length <= max) return AND.format(items);
  const rest = items.length - max;
  return AND.format([...items.slice(0, max), `${rest.toLocaleString()} more`]);
};
