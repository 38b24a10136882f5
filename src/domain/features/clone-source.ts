import type { Feature, FeatureEnvironment, ProjectSettings } from '../../data/db.js';
import type { UserRow } from '../../data/user-rights.js';
import { asArray, asObjects, asStrings } from '../json.js';
import { type CloneRelatedData, type RelatedRows, toRelatedData } from './clone-related-data.js';
import type { ContextFields } from './constraint-rules.js';
import { ownStrategies } from './feature-parts.js';
import type { SourceStrategy } from './strategy-rules.js';

export type SourceDependency = {
  parentName: string;
  enabled: boolean;
  variants: readonly string[];
  parent: { projectId: string | null; archived: boolean } | null;
  parentHasParents: boolean;
};

export type CloneSource = {
  feature: Feature;
  environments: readonly FeatureEnvironment[];
  strategies: readonly SourceStrategy[];
  dependencies: readonly SourceDependency[];
};

export type CloneTarget = {
  id: string;
  archived: boolean;
  /** Names of the linked environments. */
  environments: readonly string[];
  /** Names of the environments that require change requests. */
  guarded: readonly string[];
};

type Named = { name: string };

/** A clone that the caller created with the same idempotency key. */
export type EarlierClone = {
  name: string;
  mark: string;
  /** Whether the clone still exists; a feature created later under its name does not count. */
  isThere: boolean;
};

export type FactRows = {
  maintenance: { content: unknown }[];
  targets: { id: string; archived: boolean }[];
  settings: ProjectSettings[];
  links: { templates: unknown }[];
  groups: { exist: boolean }[];
  linked: Named[];
  guarded: Named[];
  holders: { archived: boolean; isVisible: boolean }[];
  features: Feature[];
  environments: FeatureEnvironment[];
  strategies: (SourceStrategy & { milestoneId: string | null })[];
  dependencies: {
    parentName: string;
    enabled: boolean;
    variants: unknown;
    projectId: string | null;
    archived: boolean;
    parentHasParents: boolean;
  }[];
  strategyTypes: Named[];
  contextFields: (Named & { legalValues: unknown })[];
} & Partial<RelatedRows> & { users?: UserRow[]; earlier?: EarlierClone[] };

/** Features that are not archived: of the whole instance, and of the target project. */
export type ActiveCounts = { everywhere: number; inTarget: number };

/** Everything a clone is checked against, from one snapshot of the database. */
export type CloneFacts = {
  target: CloneTarget | null;
  settings: ProjectSettings | null;
  /** Links that every new feature of the target project gets, as stored; none before Unleash 7. */
  linkTemplates: readonly unknown[];
  /** Whether this Unleash version records which events were written together. */
  hasEventGroups: boolean;
  /** The feature that already has the name. */
  holder: { archived: boolean; isVisible: boolean } | null;
  /** Can be archived, and then not be cloned; null if there is none that the actor may see. */
  source: CloneSource | null;
  /** Read on demand: a plain clone does not need it. */
  related: CloneRelatedData | null;
  /** Existing types among those of the strategies. */
  strategyTypes: ReadonlySet<string>;
  /** Existing context fields among those that the strategies use. */
  contextFields: ContextFields;
  active: ActiveCounts;
  /** Content of the maintenance mode setting; null if there is none. */
  maintenance: unknown;
  /** Also null without an idempotency key. */
  earlier: EarlierClone | null;
  /** The caller's current user row, if it still exists; null for callers whose permissions cannot change. */
  rights: { user: UserRow | undefined } | null;
};

const toSource = (rows: FactRows): CloneSource | null => {
  const [feature] = rows.features;
  if (!feature) return null;
  const present = new Set(rows.environments.map(({ environmentName }) => environmentName));
  return {
    feature,
    environments: rows.environments,
    // Strategies in environments without a row for the feature are never shown.
    strategies: ownStrategies(rows.strategies).filter(({ environmentName }) =>
      present.has(environmentName),
    ),
    dependencies: rows.dependencies.map(({ projectId, archived, variants, ...dependency }) => ({
      ...dependency,
      variants: asStrings(variants),
      parent: { projectId, archived },
    })),
  };
};

const toContextFields = (fields: FactRows['contextFields']): ContextFields =>
  new Map(
    fields.map(({ name, legalValues }) => {
      const values = asObjects(legalValues).flatMap(({ value }) =>
        typeof value === 'string' ? [value] : [],
      );
      return [name, { legalValues: values.length > 0 ? values : null }];
    }),
  );

const toRights = ({ users }: FactRows): CloneFacts['rights'] => (users ? { user: users[0] } : null);

const names = (list: readonly Named[]) => list.map((row) => row.name);

export const toFacts = (rows: FactRows, active: ActiveCounts): CloneFacts => {
  const [target] = rows.targets;
  return {
    target: target
      ? { ...target, environments: names(rows.linked), guarded: names(rows.guarded) }
      : null,
    settings: rows.settings[0] ?? null,
    linkTemplates: asArray(rows.links[0]?.templates),
    hasEventGroups: rows.groups[0]?.exist ?? false,
    holder: rows.holders[0] ?? null,
    source: toSource(rows),
    related: toRelatedData(rows),
    strategyTypes: new Set(names(rows.strategyTypes)),
    contextFields: toContextFields(rows.contextFields),
    active,
    maintenance: rows.maintenance[0]?.content ?? null,
    earlier: rows.earlier?.[0] ?? null,
    rights: toRights(rows),
  };
};
