export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const quantile = (values: readonly number[], share: number): number => {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? 0;
  return below + (above - below) * (place - Math.floor(place));
};

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
