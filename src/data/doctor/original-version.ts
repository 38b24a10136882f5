export type OriginalVersion = {
  /** Without path or leading slash; null when its table holds none. */
  lastMigration: string | null;
  /** `6.6`, `between 6.6 and 6.10`, `older than 6.6` or `newer than 8.2`. */
  version: string;
  /** Whether the gateway was made for it. */
  isKnown: boolean;
};

/** The last migration that each of these published versions brings along, oldest first. */
export const ORIGINAL_VERSIONS = [
  { version: '6.6', lastMigration: '20250110130010-add-permission-cors' },
  { version: '6.10', lastMigration: '20250506074807-feature-link-table' },
  { version: '7.6', lastMigration: '20260406161629-user-access-requests-unique-email' },
  { version: '8.2', lastMigration: '20260902120000-add-user-agent-to-login-history' },
] as const;

const OLDEST = ORIGINAL_VERSIONS[0];
const NEWEST = ORIGINAL_VERSIONS[3];

const versionAt = (lastMigration: string): string => {
  const exact = ORIGINAL_VERSIONS.find((known) => known.lastMigration === lastMigration);
  if (exact) return exact.version;
  const before = ORIGINAL_VERSIONS.findLast((known) => known.lastMigration < lastMigration);
  const after = ORIGINAL_VERSIONS.find((known) => known.lastMigration > lastMigration);
  if (!before) return `older than ${OLDEST.version}`;
  return after ? `between ${before.version} and ${after.version}` : `newer than ${NEWEST.version}`;
};

/** Tells the version of the original from the names in its `migrations` table; they begin with their date. */
export const originalVersion = (names: readonly string[]): OriginalVersion => {
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
