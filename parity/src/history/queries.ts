import { sendGraphql } from '../coexistence/requests.js';
import { ADMIN_TOKEN } from '../upstream.js';
import type { StrategyState } from './read-states.js';
import { ENVIRONMENTS, type Stage } from './stage.js';

/** Few enough for the cost limit of one operation. */
const TIMES_AT_ONCE = 20;

export type EnvironmentAsOf = {
  environmentName: string;
  state: string;
  inProject: boolean | null;
  unknown: string[];
  strategies:
    | (Omit<StrategyState, 'id' | 'segmentIds'> & {
        strategyId: string;
        segmentIds: number[] | null;
      })[]
    | null;
  variants: { name: string }[] | null;
};

export type FeatureAsOf = Record<string, unknown> & {
  existence: string;
  contradicted: boolean;
  unknown: string[];
  environments: EnvironmentAsOf[];
};

const STATE = `fragment state on FeatureAsOf { existence contradicted unknown
  projectId type description stale impressionData archived
  tags { type value } dependencies { featureName enabled variantNames }
  environments { environmentName state inProject unknown
    strategies { strategyId name title disabled parameters segmentIds
      constraints { contextName operator values inverted caseInsensitive } }
    variants { name } } }`;

const send = <Result>(stage: Stage, query: string, name: string): Promise<Result> =>
  sendGraphql(stage.gateway.url, ADMIN_TOKEN, query, { name }) as Promise<Result>;

/** A feature at each of the timestamps. */
export const queryAsOf = async (
  stage: Stage,
  name: string,
  times: readonly string[],
): Promise<FeatureAsOf[]> => {
  const found: FeatureAsOf[] = [];
  for (let from = 0; from < times.length; from += TIMES_AT_ONCE) {
    const page = times.slice(from, from + TIMES_AT_ONCE);
    const fields = page.map((time, index) => `t${index}: asOf(time: "${time}") { ...state }`);
    const { feature } = await send<{ feature: Record<string, FeatureAsOf> }>(
      stage,
      `query ($name: String!) { feature(name: $name) { ${fields.join('\n')} } } ${STATE}`,
      name,
    );
    for (const index of page.keys()) found.push(feature[`t${index}`] as FeatureAsOf);
  }
  return found;
};

export type Period = {
  state: string;
  from: string | null;
  before: string | null;
  contradicted: boolean;
};

/** The enabled periods of a feature by environment. */
export const queryTimelines = async (
  stage: Stage,
  name: string,
): Promise<Record<string, Period[]>> => {
  const fields = ENVIRONMENTS.map(
    (environment) => `${environment}: timeline(environmentName: "${environment}", last: 1000) {
      state from before contradicted }`,
  );
  const { feature } = await send<{ feature: Record<string, Period[]> }>(
    stage,
    `query ($name: String!) { feature(name: $name) { ${fields.join('\n')} } }`,
    name,
  );
  return feature;
};

export type Change = { path: string; kind: string; before: unknown; after: unknown };

export type ChangedEvent = {
  id: number;
  typeName: string;
  createdAt: string;
  environmentName: string | null;
  changes: Change[] | null;
};

/** The newest events of a feature, oldest first. */
export const queryEvents = async (stage: Stage, name: string): Promise<ChangedEvent[]> => {
  const { feature } = await send<{ feature: { events: { nodes: ChangedEvent[] } } }>(
    stage,
    `query ($name: String!) { feature(name: $name) { events(first: 1000) { nodes {
      id typeName createdAt environmentName changes { path kind before after } } } } }`,
    name,
  );
  return feature.events.nodes.toReversed();
};

/** How a feature differs between pairs of timestamps. */
export const queryComparisons = async (
  stage: Stage,
  name: string,
  pairs: readonly { from: string; to: string }[],
): Promise<{ changes: Change[]; unknown: string[] }[]> => {
  const fields = pairs.map(
    ({ from, to }, index) =>
      `c${index}: compare(from: "${from}", to: "${to}") { unknown changes { path kind before after } }`,
  );
  const { feature } = await send<{
    feature: Record<string, { changes: Change[]; unknown: string[] }>;
  }>(stage, `query ($name: String!) { feature(name: $name) { ${fields.join('\n')} } }`, name);
  return pairs.map((_, index) => feature[`c${index}`] ?? { changes: [], unknown: [] });
};
