import type { Gateway } from './app.js';

export type CloneCall = {
  source: string;
  name: string;
  /** Default: shop. */
  project?: string;
  replaceGroupId?: boolean;
  token?: string;
  headers?: Record<string, string>;
};

const callOf = ({ token, headers }: CloneCall) => ({
  ...(token !== undefined && { token }),
  ...(headers && { headers }),
});

const optionsOf = ({ replaceGroupId }: CloneCall) =>
  replaceGroupId === undefined ? {} : { replaceGroupId };

export const cloneOverRest = (gateway: Gateway, call: CloneCall) => {
  const { source, project = 'shop' } = call;
  const path = `/api/admin/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(source)}/clone`;
  return gateway.rest(path, {
    body: { name: call.name, ...optionsOf(call) },
    ...callOf(call),
  });
};

const MUTATION = `mutation ($input: CloneFeatureInput!) {
  cloneFeature(input: $input) {
    __typename
    ... on CloneFeaturePayload { feature { name projectId } }
    ... on Error { id name message }
    ... on NamingPatternError { pattern example description }
    ... on FeatureLimitError { limit }
    ... on CloneRefusedError { details }
    ... on NoAccessError { permissions }
  }
}`;

/** Sends the input unchanged, for what the REST path cannot express. */
export const mutateClone = (
  gateway: Gateway,
  input: Record<string, unknown>,
  call: { token?: string } = {},
) => gateway.graphql(MUTATION, { input }, call);

export const cloneOverGraphql = (gateway: Gateway, call: CloneCall) =>
  gateway.graphql(
    MUTATION,
    {
      input: {
        featureName: call.source,
        newName: call.name,
        targetProjectId: call.project ?? 'shop',
        ...optionsOf(call),
      },
    },
    callOf(call),
  );

/** The outcome of a clone, in the same short form for both transports. */
export type Outcome = { kind: string; message: string };

export const outcomeOverRest = async (gateway: Gateway, call: CloneCall): Promise<Outcome> => {
  const { status, body } = await cloneOverRest(gateway, call);
  return status === 200
    ? { kind: 'cloned', message: '' }
    : { kind: `${status} ${body.name}`, message: body.message };
};

/** The member of the result union, or the error code. */
export const outcomeOverGraphql = async (gateway: Gateway, call: CloneCall): Promise<Outcome> => {
  const { data, errors } = await cloneOverGraphql(gateway, call);
  const result = data?.cloneFeature;
  if (!result) return { kind: errors?.[0]?.extensions.code, message: errors?.[0]?.message };
  return result.__typename === 'CloneFeaturePayload'
    ? { kind: 'cloned', message: '' }
    : { kind: result.__typename, message: result.message };
};
