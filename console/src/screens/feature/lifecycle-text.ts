import type { ShownFeature } from './feature-header.js';

type Lifecycle = NonNullable<ShownFeature['lifecycle']>;

const outcomeText = (outcome: Lifecycle['outcome']): string => {
  switch (outcome?.kind) {
    case undefined:
      return '';
    case 'KEPT':
      return outcome?.variantName ? ` (variant ${outcome.variantName} is kept)` : ' (kept)';
    case 'DISCARDED':
      return ' (discarded)';
    case 'OTHER':
      return ` (${outcome?.kindName})`;
  }
};

/** The lifecycle stage in words. */
export const lifecycleText = ({ stage, stageName, outcome }: Lifecycle): string => {
  switch (stage) {
    case 'INITIAL':
      return 'Waiting for its first use';
    case 'PRE_LIVE':
      return 'Used only outside of production';
    case 'LIVE':
      return 'Live in production';
    case 'COMPLETED':
      return `Completed${outcomeText(outcome)}`;
    case 'ARCHIVED':
      return 'Lifecycle: archived';
    case 'OTHER':
      return `Lifecycle stage ${stageName}`;
  }
};
