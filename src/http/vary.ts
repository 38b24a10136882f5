export const joinVary = (...values: readonly (string | undefined)[]): string =>
  values.filter((value) => value !== undefined && value !== '').join(', ');
