import { BadDataError, ExceedsLimitError } from '../errors.js';
import { isObject } from '../json.js';
import type { CloneLimits, UnleashMajor } from './clone-limits.js';
import {
  type ContextFields,
  constraintGuards,
  showValue,
  sourceFault,
} from './constraint-rules.js';
import { strategyVariantGuards } from './variant-rules.js';

export type SourceSegment = {
  readonly id: number;
  readonly name: string;
  /** Null for a global segment. */
  readonly projectId: string | null;
};

/** A strategy of the source, as stored. */
export type SourceStrategy = {
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly disabled: boolean | null;
  readonly environmentName: string;
  readonly parameters: unknown;
  readonly constraints: unknown;
  readonly variants: unknown;
  readonly sortOrder: number;
  readonly segments: readonly SourceSegment[];
};

export type StrategyFacts = {
  readonly targetProject: string;
  /** Names of the existing strategy types. */
  readonly strategyTypes: ReadonlySet<string>;
  /** Existing context fields, at least those that the strategies use. */
  readonly contextFields: ContextFields;
  readonly limits: CloneLimits;
  /** The Unleash version whose rules apply. */
  readonly major: UnleashMajor;
};

const assertType = (strategy: SourceStrategy, { strategyTypes }: StrategyFacts, where: string) => {
  if (strategyTypes.has(strategy.name)) return;
  throw new BadDataError(
    `The strategy type '${strategy.name}' of ${where} no longer exists. Remove that strategy from the source or recreate the type.`,
  );
};

const assertSegmentInReach = (
  { id, name, projectId }: SourceSegment,
  { targetProject }: StrategyFacts,
  where: string,
) => {
  if (!projectId || projectId === targetProject) return;
  throw new BadDataError(
    `Segment '${name}' (id ${id}) of ${where} belongs to project '${projectId}' and cannot be used in project '${targetProject}'.`,
  );
};

const assertParameters = ({ parameters }: SourceStrategy, where: string) => {
  if (parameters === null || parameters === undefined || isObject(parameters)) return;
  throw sourceFault(`The parameters of ${where}`, `are not an object: ${showValue(parameters)}`);
};

const assertSegmentCount = (
  { segments }: SourceStrategy,
  { limits }: StrategyFacts,
  where: string,
) => {
  if (segments.length <= limits.segmentsPerStrategy) return;
  throw new BadDataError(
    `A strategy may have ${limits.segmentsPerStrategy} segments at most; ${where} has ${segments.length}.`,
  );
};

const exceedsStrategies = (limit: number, environmentName: string) =>
  new ExceedsLimitError(
    `A feature may have ${limit} strategies in an environment at most; the source has more in '${environmentName}'.`,
    limit,
  );

/** Checks whether each strategy can be created in the target project, in the given order. */
export function* strategyGuards(
  strategies: readonly SourceStrategy[],
  facts: StrategyFacts,
): Generator<() => void> {
  const { limits } = facts;
  const counts = new Map<string, number>();

  for (const strategy of strategies) {
    const { environmentName, name } = strategy;
    const count = (counts.get(environmentName) ?? 0) + 1;
    counts.set(environmentName, count);
    const where = `strategy ${count} ('${name}') in environment '${environmentName}'`;

    yield () => assertType(strategy, facts, where);
    for (const segment of strategy.segments) {
      yield () => assertSegmentInReach(segment, facts, where);
    }
    yield* constraintGuards(strategy.constraints, facts, where);
    yield () => assertParameters(strategy, where);
    yield* strategyVariantGuards(strategy.variants, where);
    // Once per environment, for the first strategy beyond the limit.
    if (count === limits.strategiesPerEnvironment + 1) {
      yield () => {
        throw exceedsStrategies(limits.strategiesPerEnvironment, environmentName);
      };
    }
    yield () => assertSegmentCount(strategy, facts, where);
  }
}
