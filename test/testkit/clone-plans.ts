import type { Gateway } from './app.js';
import type { CloneCall } from './clone-calls.js';

const VARIANT = `name weight weightType stickiness payload { type value } overrides { contextName values }`;
/** The parts of a strategy with the names that a plan and a feature share. */
export const STRATEGY_FIELDS = `name title disabled sortOrder parameters segments { id }
  constraints { contextName operator value values inverted caseInsensitive } variants { ${VARIANT} }`;
export const PLACE_FIELDS = `strategies { ${STRATEGY_FIELDS} } variants { ${VARIANT} }`;
export const FEATURE_FIELDS = `name description type stale impressionData favorite
  dependencies { featureName enabled variantNames } tags { type value }`;

const PLAN = `query ($input: CloneFeatureInput!) {
  clonePlan(input: $input) {
    wouldSucceed newName targetProjectId targetProject { id }
    refusals {
      __typename id name message
      ... on NameExistsError { archived }
      ... on NotFoundError { resource key }
      ... on NamingPatternError { pattern example }
      ... on FeatureLimitError { limit projectId }
      ... on CloneRefusedError { details }
      ... on NoAccessError { permissions }
    }
    copy { ${FEATURE_FIELDS} environments { environmentName inProject ${PLACE_FIELDS} } }
    notCopied { aspect count reason }
  }
}`;

const CLONE = `mutation ($input: CloneFeatureInput!) {
  cloneFeature(input: $input) {
    __typename
    ... on CloneFeaturePayload { feature { name } }
    ... on Error { name message }
  }
}`;

export type PlanCall = Omit<CloneCall, 'project' | 'headers'> & {
  /** Default: shop; null uses the project of the source. */
  project?: string | null;
  include?: readonly string[];
  idempotencyKey?: string;
};

const inputOf = (call: PlanCall) => {
  const { source, name, project = 'shop', replaceGroupId, include, idempotencyKey } = call;
  return {
    featureName: source,
    newName: name,
    ...(project !== null && { targetProjectId: project }),
    ...(replaceGroupId !== undefined && { replaceGroupId }),
    ...(include && { include }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
};

const send = (gateway: Gateway, query: string, call: PlanCall) =>
  gateway.graphql(
    query,
    { input: inputOf(call) },
    call.token === undefined ? {} : { token: call.token },
  );

/** Clones with all GraphQL options. */
export const requestClone = (gateway: Gateway, call: PlanCall) => send(gateway, CLONE, call);

export const requestPlan = (gateway: Gateway, call: PlanCall) => send(gateway, PLAN, call);

/** The plan of a clone; fails on an error. */
export const planOf = async (gateway: Gateway, call: PlanCall) => {
  const { data, errors } = await requestPlan(gateway, call);
  if (errors) throw new Error(`No plan was returned, but ${JSON.stringify(errors)}.`);
  return data.clonePlan;
};

/** The errors of a plan in a short form. */
export const refusalsOf = async (gateway: Gateway, call: PlanCall): Promise<string[]> => {
  const { refusals } = await planOf(gateway, call);
  return refusals.map(({ __typename }: { __typename: string }) => __typename);
};
