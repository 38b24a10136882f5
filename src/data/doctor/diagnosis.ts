import { isPossible } from '../layout/access.js';
import { OPERATIONS, type OperationName } from '../layout/requirements.js';
import { quoteName } from '../sql/sql-names.js';
import type { BuildOutcome } from './build-indexes.js';
import type { Findings } from './examine.js';
import { type FoundIndex, needsAction } from './index-state.js';

export type Diagnosis = {
  status: 'fine' | 'missing' | 'recommendations';
  /** Why the gateway would not start. */
  faults: string[];
  /** Operations that are currently unavailable. */
  impossible: OperationName[];
  /** Suggested improvements. */
  recommendations: string[];
  /** Good to know, no action required. */
  notes: string[];
};

export type DiagnoseOptions = {
  /** No clones are intended, so a read-only database is fine. Default: false. */
  isReadOnlyMeant?: boolean;
  /** Faults in the settings, and what to change in them. */
  faults?: readonly string[];
  recommendations?: readonly string[];
  /** Results of the requested index builds. */
  built?: readonly BuildOutcome[];
};

export const diagnoseFindings = (
  findings: Findings,
  {
    isReadOnlyMeant = false,
    faults: otherFaults = [],
    recommendations: others = [],
    built = [],
  }: DiagnoseOptions = {},
): Diagnosis => {
  const { operations } = findings.access;
  const faults = [...faultsOf(findings), ...otherFaults];
  const impossible = OPERATIONS.filter((name) => !isPossible(operations[name])).filter(
    (name) => !(isReadOnlyMeant && name === 'cloneFeature'),
  );
  const recommendations = [...others, ...recommendationsOf(findings), ...built.flatMap(failureOf)];

  const isMissing = faults.length + impossible.length > 0;
  const status = isMissing ? 'missing' : recommendations.length > 0 ? 'recommendations' : 'fine';
  return { status, faults, impossible, recommendations, notes: notesOf(findings) };
};

const faultsOf = ({ layout, mayLayTables, access, schema }: Findings): string[] => {
  switch (layout.owner) {
    case 'empty':
      return [
        'The database has no tables. If it should be the database of Unleash, check its name in DATABASE_URL, or start Unleash first.',
        mayLayTables
          ? 'Otherwise the gateway creates its own tables when it starts.'
          : `Otherwise the gateway creates its own tables, which '${access.role}' may not: GRANT CREATE ON SCHEMA ${quoteName(schema)} TO ${quoteName(access.role)};`,
      ];
    case 'foreign':
      return [
        'The database has tables, but neither of the gateway nor of Unleash. Check DATABASE_URL.',
      ];
    case 'unreadable':
      return [
        'The database user cannot read _prisma_migrations, which the gateway requires to start.',
      ];
    case 'flaggraph':
      return layout.unfinished.map((name) => `Migration ${name} was started and did not finish.`);
    case 'unleash':
      return [];
  }
};

const asOwner = (incomplete: readonly FoundIndex[]): string => {
  const [owner] = incomplete.flatMap((index) => (index.mayCreate ? [] : (index.owner ?? [])));
  return owner === undefined ? '' : `, connected as the owner of the tables, '${owner}'`;
};

const failureOf = ({ name, reason }: BuildOutcome): string[] =>
  reason === undefined ? [] : [`The index ${name} was not created: ${reason}`];

const recommendationsOf = ({ layout, indexes, textIndex, sequence }: Findings): string[] => {
  const pending = layout.owner === 'flaggraph' ? layout.pending : [];
  const incomplete = indexes.filter(needsAction);
  return [
    ...(pending.length > 0
      ? [`Start the gateway once: it then applies ${pending.join(', ')}.`]
      : []),
    ...(incomplete.length > 0
      ? [
          `Create the ${incomplete.length} missing indexes with --apply-indexes${asOwner(incomplete)}.`,
        ]
      : []),
    ...(textIndex.state === 'invalid'
      ? [
          `Finish ${textIndex.name} with --apply-indexes --with-text-index, or drop it: an unfinished index slows down writes without speeding up reads.`,
        ]
      : []),
    ...(sequence && sequence.cache !== 1
      ? [
          `Set the cache of ${sequence.name} to 1 (it is ${sequence.cache}): sessions that reserve IDs in blocks write events out of order.`,
        ]
      : []),
  ];
};

const notesOf = ({ layout, server, filteredTables, access }: Findings): string[] => [
  ...(layout.owner === 'unleash' && layout.unleash === null
    ? [
        `The version of Unleash is unknown, so the strictest rules apply: '${access.role}' has no SELECT on migrations (name).`,
      ]
    : []),
  ...(layout.owner === 'unleash' && layout.unleash?.isKnown === false
    ? [`The gateway supports Unleash 6.6 to 8.2; this one is ${layout.unleash.version}.`]
    : []),
  ...(server.encoding === 'UTF8'
    ? []
    : [`The encoding is ${server.encoding}: characters it lacks can be neither stored nor found.`]),
  ...(server.foldsAllLetters
    ? []
    : ['Free text search ignores the case of the letters A to Z only (the ctype is C).']),
  ...(filteredTables.length > 0
    ? [`Row-level security hides rows from this user in ${filteredTables.join(', ')}.`]
    : []),
];
