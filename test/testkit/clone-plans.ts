import type { Gateway } from './app.js';
import type { CloneCall } from './clone-calls.js';

const VARIANT = `name weight weightType stickiness payload { type value } overrides { contextName values }`;
/** The parts of a strategy with the names that a plan and a feature share. */
export const STRATEGY_FIELDS = `name title disabled sortOrder parameters segments { id }
  constraints { contextName operator value values inverted caseInsensitive } variants { ${VARIANT} }`;
export const PLACE_FIELDS = `strategies { ${STRATEGY_FIELDS} } variants { ${VARIANT} }`;
export const FEATURE_FIELDS = `name description type stale impressionData favorite
  dependencies { featureName enabled variants } tags { type value }`;

const PLAN = `mutation ($input: CloneFeatureInput!) {
  cloneFeature(input: $input) {
    __typename
    ... on CloneFeaturePlan {
      wouldSucceed name projectId project { id }
      refusals {
        __typename id name message
        ... on NameExistsError { archived }
        ... on NotFoundError { resource key }
        ... on NamingPatternError { pattern example }
        ... on FeatureLimitError { limit project }
        ... on CloneRefusedError { details }
        ... on NoAccessError { permissions }
      }
      copy { ${FEATURE_FIELDS} environments { name usedByProject ${PLACE_FIELDS} } }
      notCopied { aspect count reason }
    }
    ... on CloneFeaturePayload { feature { name } }
    ... on Error { name message }
  }
}`;

export type PlanCall = Omit<CloneCall, 'project' | 'headers'> & {
  /** Default: shop; null uses the project of the source. */
  project?: string | null;
  include?: readonly string[];
};

const inputOf = ({ source, name, project = 'shop', replaceGroupId, include }: PlanCall) => ({
  feature: source,
  name,
  ...(project !== null && { targetProject: project }),
  ...(replaceGroupId !== undefined && { replaceGroupId }),
  ...(include && { include }),
});

/** Requests a clone with all GraphQL options; a dry run by default. */
export const requestClone = (gateway: Gateway, call: PlanCall, { dryRun = true } = {}) =>
  gateway.graphql(
    PLAN,
    { input: { ...inputOf(call), dryRun } },
    call.token === undefined ? {} : { token: call.token },
  );

/** The plan of a clone; fails on any other result. */
export const planOf = async (gateway: Gateway, call: PlanCall) => {
  const { data, errors } = await requestClone(gateway, call);
  if (data?.cloneFeature?.__typename !== 'CloneFeaturePlan') {
    throw new Error(`No plan came, but ${JSON.stringify(data ?? errors)}.`);
  }
  return data.cloneFeature;
};

/** The errors of a plan in a short form. */
export const refusalsOf = async (gateway: Gateway, call: PlanCall): Promise<string[]> => {
  const { refusals } = await planOf(gateway, call);
  return refusals.map(({ __typename }: { __typename: string }) => __typename);
};
