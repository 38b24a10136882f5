import { isPossible } from '../access.js';
import { OPERATIONS, type OperationName } from '../needs.js';
import { quoteName } from '../sql-names.js';
import type { BuildOutcome } from './build-indexes.js';
import type { Findings } from './examine.js';
import { type FoundIndex, isWanting } from './index-state.js';

export type Verdict = {
  status: 'fine' | 'missing' | 'recommendations';
  /** Why the gateway would not start. */
  faults: string[];
  /** Operations that cannot work as things stand. */
  impossible: OperationName[];
  /** What would make it better. */
  recommendations: string[];
  /** Worth knowing; nothing that must be mended. */
  notes: string[];
};

export type JudgeOptions = {
  /** No clones are meant to be made: a database that takes no writes is as good as any. Default: false. */
  isReadOnlyMeant?: boolean;
  /** What became of the indexes that were to be made. */
  built?: readonly BuildOutcome[];
};

/** What to think of the findings. */
export const judge = (
  findings: Findings,
  { isReadOnlyMeant = false, built = [] }: JudgeOptions = {},
): Verdict => {
  const { operations } = findings.access;
  const faults = faultsOf(findings);
  const impossible = OPERATIONS.filter((name) => !isPossible(operations[name])).filter(
    (name) => !(isReadOnlyMeant && name === 'cloneFeature'),
  );
  const recommendations = [...recommendationsOf(findings), ...built.flatMap(failureOf)];

  const isMissing = faults.length + impossible.length > 0;
  const status = isMissing ? 'missing' : recommendations.length > 0 ? 'recommendations' : 'fine';
  return { status, faults, impossible, recommendations, notes: notesOf(findings) };
};

const faultsOf = ({ layout, mayLayTables, access, schema }: Findings): string[] => {
  switch (layout.owner) {
    case 'empty':
      return mayLayTables
        ? ['The database holds no tables. The gateway would lay its own there at its start.']
        : [
            `The database holds no tables, and '${access.role}' may not make any: GRANT CREATE ON SCHEMA ${quoteName(schema)} TO ${quoteName(access.role)};`,
          ];
    case 'foreign':
      return ['The database holds tables, but neither the gateway nor the original has laid them.'];
    case 'unreadable':
      return ['The database user may not read _prisma_migrations, which the start needs.'];
    case 'ours':
      return layout.unfinished.map((name) => `Migration ${name} was begun and did not finish.`);
    case 'original':
      return [];
  }
};

const asOwner = (wanting: readonly FoundIndex[]): string => {
  const [owner] = wanting.flatMap((index) => (index.mayCreate ? [] : (index.owner ?? [])));
  return owner === undefined ? '' : ` when '${owner}', who owns the tables, is the user`;
};

const failureOf = ({ name, reason }: BuildOutcome): string[] =>
  reason === undefined ? [] : [`The index ${name} was not made: ${reason}`];

const recommendationsOf = ({ layout, indexes, textIndex, sequence }: Findings): string[] => {
  const pending = layout.owner === 'ours' ? layout.pending : [];
  const wanting = indexes.filter(isWanting);
  return [
    ...(pending.length > 0
      ? [`Start the gateway once: it then applies ${pending.join(', ')}.`]
      : []),
    ...(wanting.length > 0
      ? [
          `Make the missing indexes (${wanting.length} of ${indexes.length}): --apply-indexes does${asOwner(wanting)}.`,
        ]
      : []),
    ...(textIndex.state === 'invalid'
      ? [
          `Finish ${textIndex.name} with --apply-indexes --with-text-index, or drop it: an unfinished index only costs.`,
        ]
      : []),
    ...(sequence && sequence.cache !== 1
      ? [
          `Set the cache of ${sequence.name} to 1 (it is ${sequence.cache}): sessions that draw numbers in blocks put events out of order.`,
        ]
      : []),
  ];
};

const notesOf = ({ layout, server, filteredTables }: Findings): string[] => [
  ...(layout.owner === 'original' && layout.original === null
    ? ['The version is not known: the database user may not read the table migrations.']
    : []),
  ...(layout.owner === 'original' && layout.original?.isKnown === false
    ? [
        `The gateway was made for versions 6.6 to 8.2 of the original; this one is ${layout.original.version}.`,
      ]
    : []),
  ...(server.encoding === 'UTF8'
    ? []
    : [`The encoding is ${server.encoding}: characters it lacks can be neither stored nor found.`]),
  ...(server.foldsAllLetters
    ? []
    : ['Free text search ignores the case of the letters A to Z only (the ctype is C).']),
  ...(filteredTables.length > 0
    ? [`Row security shows this user only some rows of ${filteredTables.join(', ')}.`]
    : []),
];
