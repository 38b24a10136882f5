import type { FeatureSpec } from './feature-spec.js';
import { DEFAULT } from './features/default.js';
import { LEGACY_PORTAL } from './features/legacy-portal.js';
import { MOBILE } from './features/mobile.js';
import { PAYMENTS } from './features/payments.js';
import { WAREHOUSE } from './features/warehouse.js';
import { CAMPAIGNS } from './features/web-shop-campaigns.js';
import { CATALOGUE } from './features/web-shop-catalogue.js';
import { CHECKOUT } from './features/web-shop-checkout.js';

/** Every feature there ever was, deleted ones included. */
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

/** A feature whose row is gone from its table lives on in the log only. */
export const LIVING_FEATURES = FEATURES.filter((feature) => feature.deleted === undefined);
