import type { Gateway } from './app.js';

export type ListedClone = {
  source: string;
  name: string;
  /** Default: the project of the source. */
  project?: string;
  include?: readonly string[];
  idempotencyKey?: string;
};

const MUTATION = `mutation ($inputs: [CloneFeatureInput!]!) {
  cloneFeatures(inputs: $inputs) {
    succeeded
    results {
      __typename
      ... on CloneFeaturePayload { feature { name projectId } }
      ... on Error { id name message }
      ... on NoAccessError { permissions }
      ... on FeatureLimitError { limit }
    }
  }
}`;

const inputOf = ({ source, name, project, include, idempotencyKey }: ListedClone) => ({
  featureName: source,
  newName: name,
  ...(project !== undefined && { targetProjectId: project }),
  ...(include && { include }),
  ...(idempotencyKey !== undefined && { idempotencyKey }),
});

export const sendClones = (
  gateway: Gateway,
  clones: readonly ListedClone[],
  call: { token?: string } = {},
) => gateway.graphql(MUTATION, { inputs: clones.map(inputOf) }, call);

/** Whether the list succeeded, and the type of each result. */
export const outcomesOf = async (
  gateway: Gateway,
  clones: readonly ListedClone[],
  call: { token?: string } = {},
) => {
  const { data, errors } = await sendClones(gateway, clones, call);
  if (errors) throw new Error(`No results were returned, but ${JSON.stringify(errors)}.`);
  const { succeeded, results } = data.cloneFeatures;
  return {
    succeeded,
    kinds: results.map(({ __typename }: { __typename: string }) => __typename),
    messages: results.map(({ message }: { message?: string }) => message),
  };
};
