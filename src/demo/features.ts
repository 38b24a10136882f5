import type { FeatureSpec } from './feature-spec.js';
import { DEFAULT } from './features/default.js';
import { LEGACY_PORTAL } from './features/legacy-portal.js';
import { MOBILE } from './features/mobile.js';
import { PAYMENTS } from './features/payments.js';
import { WAREHOUSE } from './features/warehouse.js';
import { CAMPAIGNS } from './features/web-shop-campaigns.js';
import { CATALOGUE } from './features/web-shop-catalogue.js';
import { CHECKOUT } from './features/web-shop-checkout.js';

/** Every feature, including deleted ones. */
export const FEATURES: readonly FeatureSpec[] = [
  ...DEFAULT,
  ...CHECKOUT,
  ...CATALOGUE,
  ...CAMPAIGNS,
  ...MOBILE,
  ...PAYMENTS,
  ...WAREHOUSE,
  ...LEGACY_PORTAL,
];

/** A deleted feature has no row, only events. */
export const EXISTING_FEATURES = FEATURES.filter((feature) => feature.deleted === undefined);
