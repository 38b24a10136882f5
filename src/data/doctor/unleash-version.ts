export type UnleashVersion = {
  /** Without path or leading slash. Null if the table is empty. */
  lastMigration: string | null;
  /** `6.6`, `between 6.6 and 6.10`, `older than 6.6` or `newer than 8.2`. */
  version: string;
  /** Whether the gateway supports it. */
  isKnown: boolean;
};

/** The last migration of each of these Unleash releases, oldest first. */
export const UNLEASH_VERSIONS = [
  { version: '6.6', lastMigration: '20250110130010-add-permission-cors' },
  { version: '6.10', lastMigration: '20250506074807-feature-link-table' },
  { version: '7.6', lastMigration: '20260406161629-user-access-requests-unique-email' },
  { version: '8.2', lastMigration: '20260902120000-add-user-agent-to-login-history' },
] as const;

const OLDEST = UNLEASH_VERSIONS[0];
const NEWEST = UNLEASH_VERSIONS[3];

const versionAt = (lastMigration: string): string => {
  const exact = UNLEASH_VERSIONS.find((known) => known.lastMigration === lastMigration);
  if (exact) return exact.version;
  const before = UNLEASH_VERSIONS.findLast((known) => known.lastMigration < lastMigration);
  const after = UNLEASH_VERSIONS.find((known) => known.lastMigration > lastMigration);
  if (!before) return `older than ${OLDEST.version}`;
  return after ? `between ${before.version} and ${after.version}` : `newer than ${NEWEST.version}`;
};

/** Derives the Unleash version from the names in its `migrations` table, which start with a date. */
export const unleashVersion = (names: readonly string[]): UnleashVersion => {
  const lastMigration =
    names
      .map((name) => name.replace(/^.*\//, ''))
      .filter((name) => /^\d{14}-/.test(name))
      .sort()
      .at(-1) ?? null;
  if (lastMigration === null) {
    return { lastMigration, version: `older than ${OLDEST.version}`, isKnown: false };
  }
  return {
    lastMigration,
    version: versionAt(lastMigration),
    isKnown: OLDEST.lastMigration <= lastMigration && lastMigration <= NEWEST.lastMigration,
  };
};
