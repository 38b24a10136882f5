import type { ProjectSettings, ProjectStats } from '../../data/db.js';

export type FeatureNaming = {
  pattern: string | null;
  example: string | null;
  description: string | null;
};

/** A project may have no settings row; these are the defaults. */
export const settingsOf = (row: ProjectSettings | null) => ({
  mode: row?.mode ?? 'open',
  featureLimit: row?.featureLimit ?? null,
  featureNaming: {
    pattern: row?.featureNamingPattern ?? null,
    example: row?.featureNamingExample ?? null,
    description: row?.featureNamingDescription ?? null,
  } satisfies FeatureNaming,
  defaultStickiness: row?.defaultStickiness || 'default',
});

export const STAT_NAMES = [
  'avgTimeToProdCurrentWindow',
  'createdCurrentWindow',
  'createdPastWindow',
  'archivedCurrentWindow',
  'archivedPastWindow',
  'projectActivityCurrentWindow',
  'projectActivityPastWindow',
  'projectMembersAddedCurrentWindow',
] as const satisfies (keyof ProjectStats)[];

export type Stats = Record<(typeof STAT_NAMES)[number], number>;

/** As last written by Unleash's daily job; all zero if it never ran. */
export const statsOf = (row: ProjectStats | null): Stats =>
  Object.fromEntries(STAT_NAMES.map((name) => [name, row?.[name] ?? 0])) as Stats;
