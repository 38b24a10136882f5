import { type Clock, minutesAfter } from '../clock.js';
import type { EnvironmentSpec, FeatureSpec } from '../feature-spec.js';
import { EXISTING_FEATURES } from '../features.js';
import { createdAt, environmentsOf } from '../history/feature-simulation.js';
import { createRandom, type Random, seedOf } from '../random.js';
import type { Table } from './table.js';

/** Production is used by these, the other environments by the first of them. */
const APPLICATIONS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  default: ['website', 'back-office'],
  'legacy-portal': ['portal'],
  mobile: ['ios-app', 'android-app'],
  payments: ['payments-api'],
  warehouse: ['warehouse-worker'],
  'web-shop': ['shop-frontend', 'shop-api'],
};

/** As long as Unleash keeps hours, and long enough for a curve of days. */
const HOURS = 48;
const DAYS = 30;
const WORKING_HOURS = { from: 8, to: 17 };

type Counts = { yes: number; no: number };

type Use = {
  feature: FeatureSpec;
  environment: string;
  spec: EnvironmentSpec;
  application: string;
  /** Hours before today at which it was last used. */
  seen: number;
};

const usesOf = (feature: FeatureSpec): Use[] =>
  environmentsOf(feature).flatMap(([environment, spec]) => {
    const { seen } = spec;
    if (seen === null) return [];
    const all = APPLICATIONS[feature.project] ?? ['application'];
    const applications = environment === 'production' ? all : all.slice(0, 1);
    return applications.map((application) => ({ feature, environment, spec, application, seen }));
  });

const USES = EXISTING_FEATURES.flatMap(usesOf);

/** Evaluations of one hour: some are always disabled, by strategies and constraints. */
const countHour = ({ environment, spec }: Use, random: Random): Counts => {
  const count = random.int(20, 60) * (environment === 'production' ? 50 : 1);
  const no = spec.enabled ? Math.floor((count * random.int(0, 40)) / 100) : count;
  return { yes: count - no, no };
};

const keyOf = ({ feature, environment, application }: Use) => ({
  feature_name: feature.name,
  app_name: application,
  environment,
});

const variantsOf = ({ spec }: Use, { yes }: Counts) =>
  spec.variants.map(({ name, weight }) => ({
    variant: name,
    count: Math.floor((yes * weight) / 1_000),
  }));

const randomOf = (use: Use, unit: string): Random =>
  createRandom(seedOf([use.feature.name, use.environment, use.application, unit].join(' ')));

const hoursOf = (use: Use, clock: Clock) => {
  const random = randomOf(use, 'hour');
  const hours = Array.from({ length: HOURS }, (_, index) => index + 1);
  return hours
    .filter(
      (ago) =>
        ago >= use.seen && minutesAfter(clock.today, -60 * ago) >= createdAt(use.feature, clock),
    )
    .map((ago) => minutesAfter(clock.today, -60 * ago))
    .filter((hour) => {
      const isWork =
        hour.getUTCHours() >= WORKING_HOURS.from && hour.getUTCHours() < WORKING_HOURS.to;
      return use.environment === 'production' || isWork;
    })
    .map((timestamp) => ({ use, timestamp, counts: countHour(use, random) }));
};

const daysOf = (use: Use, clock: Clock) => {
  const random = randomOf(use, 'day');
  return Array.from({ length: DAYS }, (_, index) => -index - 1)
    .filter((day) => clock.at(day) >= createdAt(use.feature, clock) && -24 * day >= use.seen)
    .map((day) => {
      const { yes, no } = countHour(use, random);
      const hours = use.environment === 'production' ? 24 : WORKING_HOURS.to - WORKING_HOURS.from;
      const date = clock.at(day).toISOString().slice(0, 10);
      return { use, date, counts: { yes: yes * hours, no: no * hours } };
    });
};

/** How often applications evaluated each feature. Like Unleash's own, these rows have no key to the feature. */
export const usageTables = (clock: Clock): Table[] => {
  const hours = USES.flatMap((use) => hoursOf(use, clock));
  const days = USES.flatMap((use) => daysOf(use, clock));
  return [
    {
      name: 'client_metrics_env',
      rows: hours.map(({ use, timestamp, counts }) => ({ ...keyOf(use), timestamp, ...counts })),
    },
    {
      name: 'client_metrics_env_variants',
      rows: hours.flatMap(({ use, timestamp, counts }) =>
        variantsOf(use, counts).map((variant) => ({ ...keyOf(use), timestamp, ...variant })),
      ),
    },
    {
      name: 'client_metrics_env_daily',
      rows: days.map(({ use, date, counts }) => ({ ...keyOf(use), date, ...counts })),
    },
    {
      name: 'client_metrics_env_variants_daily',
      rows: days.flatMap(({ use, date, counts }) =>
        variantsOf(use, counts).map((variant) => ({ ...keyOf(use), date, ...variant })),
      ),
    },
  ];
};
