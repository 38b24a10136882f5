import { documentedIds } from '../documented.js';
import type { Check } from '../part.js';
import type { Mismatch } from './compare-decisions.js';
import { EXCEPTIONS } from './exceptions.js';
import type { Tally } from './tally.js';

const LEAST_DECISIONS = 2_000;
const SHOWN = 2;

/** Groups mismatches by cause, with a few examples each. */
const showMismatches = (mismatches: readonly Mismatch[]): string => {
  const sorts = [...new Set(mismatches.map(({ sort }) => sort))];
  return [
    `${mismatches.length} mismatches`,
    ...sorts.flatMap((kind) => {
      const found = mismatches.filter(({ sort }) => sort === kind);
      const samples = found.slice(0, SHOWN).map(({ text }) => `        ${text}`);
      return [`        ${found.length} of ${kind}`, ...samples];
    }),
  ].join('\n');
};

/** Each exception must be a row of docs/differences.md and apply at least once; otherwise it is not needed. */
const exceptionChecks = (tally: Tally, major: number): Check[] => {
  const documented = documentedIds();
  return EXCEPTIONS.filter(({ concerns }) => concerns(major)).map(({ id, direction }) => {
    const count = tally.met().get(id) ?? 0;
    const problems = [
      ...(documented.includes(id) ? [] : ['docs/differences.md has no such row']),
      ...(count > 0 ? [] : ['it never applied']),
    ];
    return {
      what: `${id} (${direction}) explains ${count} decisions`,
      ...(problems.length > 0 && { difference: problems.join('; ') }),
    };
  });
};

/** The checks of this part, with counts that show how much was compared. */
export const toChecks = (tally: Tally, major: number, mismatches: readonly Mismatch[]): Check[] => {
  const lines = tally.lines();
  const total = tally.total();
  return [
    ...lines.map(({ kind, text, isOneSided }) => ({
      what: `${kind}: ${text}`,
      ...(isOneSided && { difference: 'one outcome is too rare for a useful comparison' }),
    })),
    {
      what: `${total} decisions, each compared with both editions and with GraphQL`,
      ...(total < LEAST_DECISIONS && { difference: `fewer than ${LEAST_DECISIONS} decisions` }),
    },
    ...exceptionChecks(tally, major),
    {
      what: 'the gateway decides like Unleash, or by a documented exception',
      ...(mismatches.length > 0 && {
        difference: showMismatches(mismatches),
      }),
    },
  ];
};
