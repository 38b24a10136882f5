export type HealthLevel = 'good' | 'fair' | 'poor';

/** From 75 good, from 50 fair. Unleash stores only the score. */
export const healthLevel = (score: number): HealthLevel => {
  if (score >= 75) return 'good';
  return score >= 50 ? 'fair' : 'poor';
};
