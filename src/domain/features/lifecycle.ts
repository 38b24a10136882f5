import { STAGES } from '../../data/features/stages.js';

type Entered = { stage: string; createdAt: Date | null };

/** The order in which stages were entered. */
const byEntry = (a: Entered, b: Entered): number =>
  (a.createdAt?.getTime() ?? 0) - (b.createdAt?.getTime() ?? 0) ||
  STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage);

export const inOrderOfEntry = <S extends Entered>(stages: readonly S[]): S[] =>
  stages.toSorted(byEntry);

/** The stage entered last. */
export const currentStage = <S extends Entered>(stages: readonly S[]): S | null =>
  inOrderOfEntry(stages).at(-1) ?? null;

type Recorded = Entered & { status: string | null; statusValue: string | null };

export type LifecycleOutcome = { status: string; variantName: string | null };

/** What was decided when the feature was completed. Null if it was not, or was reopened since. */
export const outcomeOf = (stages: readonly Recorded[]): LifecycleOutcome | null => {
  const completed = inOrderOfEntry(stages).findLast(({ stage }) => stage !== 'archived');
  if (completed?.stage !== 'completed' || completed.status === null) return null;
  return { status: completed.status, variantName: completed.statusValue || null };
};
