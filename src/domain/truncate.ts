/** Truncates with an ellipsis, never inside a surrogate pair. */
export const truncate = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;
