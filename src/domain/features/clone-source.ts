import type { Feature, FeatureEnvironment, ProjectSettings } from '../../data/db.js';
import type { CloneFactRows, EarlierClone } from '../../data/features/clone-facts.sql.js';
import type { RelatedCounts, TagRow } from '../../data/features/clone-related-data.sql.js';
import type { ActiveCounts } from '../../data/features/feature-quota.sql.js';
import type { UserRow } from '../../data/user-rights.sql.js';
import { asArray, asObjects, asStrings } from '../json.js';
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

/** What belongs to a feature but is not part of a clone. */
export type CloneRelatedData = RelatedCounts & {
  tags: readonly TagRow[];
  /** Names of all environments, in order. */
  environments: readonly string[];
};

/** Everything a clone is checked against, from one snapshot of the database. */
export type CloneFacts = {
  target: CloneTarget | null;
  settings: ProjectSettings | null;
  /** Links that every new feature of the target project gets, as stored; none before Unleash 7. */
  linkTemplates: readonly unknown[];
  /** Whether this Unleash version records which events were written together. */
  hasEventGroups: boolean;
  /** The feature that already has the name. `archived` is null if the actor may not see it. */
  holder: { archived: boolean | null; isVisible: boolean } | null;
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

const names = (list: readonly { name: string }[]) => list.map((row) => row.name);

const toSource = (rows: CloneFactRows): CloneSource | null => {
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

const toRelatedData = ({ counts, tags, places }: CloneFactRows): CloneRelatedData | null =>
  counts?.[0] ? { ...counts[0], tags: tags ?? [], environments: names(places ?? []) } : null;

const toContextFields = (fields: CloneFactRows['contextFields']): ContextFields =>
  new Map(
    fields.map(({ name, legalValues }) => {
      const values = asObjects(legalValues).flatMap(({ value }) =>
        typeof value === 'string' ? [value] : [],
      );
      return [name, { legalValues: values.length > 0 ? values : null }];
    }),
  );

const toRights = ({ users }: CloneFactRows): CloneFacts['rights'] =>
  users ? { user: users[0] } : null;

export const toFacts = (rows: CloneFactRows, active: ActiveCounts): CloneFacts => {
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
