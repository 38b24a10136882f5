import type { Gateway } from './app.js';

export type Transport = 'REST' | 'GraphQL';
export const TRANSPORTS: readonly Transport[] = ['REST', 'GraphQL'];

export type CloneOrder = { feature: string; name: string; into: string };

/** The outcome of a clone, in the same form for both transports. */
export type CloneOutcome = {
  /** `ok`, or the name of the error. */
  resultName: string;
  status: number;
  message: string | null;
  permissions: string[] | undefined;
  project: string | null;
};

const CLONE = `mutation ($input: CloneFeatureInput!) {
  cloneFeature(input: $input) {
    __typename
    ... on CloneFeaturePayload { feature { name projectId } }
    ... on Error { id name message }
    ... on NoAccessError { permissions }
  }
}`;

const byRest = async (
  gateway: Gateway,
  { feature, name, into }: CloneOrder,
  call: { token?: string | null },
): Promise<CloneOutcome> => {
  const { status, body } = await gateway.rest(
    `/api/admin/projects/${encodeURIComponent(into)}/features/${encodeURIComponent(feature)}/clone`,
    { ...call, body: { name } },
  );
  const isDone = status === 200;
  return {
    resultName: isDone ? 'ok' : body.name,
    status,
    message: isDone ? null : body.message,
    permissions: body.permissions,
    project: isDone ? body.project : null,
  };
};

const byGraphql = async (
  gateway: Gateway,
  { feature, name, into }: CloneOrder,
  call: { token?: string | null },
): Promise<CloneOutcome> => {
  const input = { featureName: feature, newName: name, targetProjectId: into };
  const { status, data, errors } = await gateway.graphql(CLONE, { input }, call);
  const error = errors?.[0];
  const result = data?.cloneFeature;
  return {
    resultName: error ? error.extensions.name : result.feature ? 'ok' : result.name,
    status,
    message: error?.message ?? result?.message ?? null,
    permissions: error?.extensions.permissions ?? result?.permissions,
    project: result?.feature?.projectId ?? null,
  };
};

export const cloneBy = (
  transport: Transport,
  gateway: Gateway,
  order: CloneOrder,
  call: { token?: string | null } = {},
): Promise<CloneOutcome> => (transport === 'REST' ? byRest : byGraphql)(gateway, order, call);
