import type { Random } from '../random.js';
import { contentTypeOf, encode, headersOf, type RawRequest } from './encode.js';
import { edgeCaseJson, edgeCaseValue } from './values.js';

const DOCUMENTS = [
  '{ viewer { kind } events(first: 3, filter: { projectId: { is: "payments" } }) { totalCount nodes { id type data changes { path } feature { name } } pageInfo { endCursor hasNextPage } } }',
  'query Q($first: Int, $after: String, $filter: EventFilter) { events(first: $first, after: $after, filter: $filter) { totalCount nodes { id label summary } } }',
  '{ projects(first: 3) { nodes { id health { score } features(first: 2) { nodes { name environments { environment { name } enabled strategies { name parameters } } tags { type value } } } } } }',
  '{ feature(name: "feature-00101") { name asOf(time: "2025-01-01T00:00:00Z") { __typename } timeline(environmentName: "production", last: 2) { __typename } } }',
  '{ feature(name: "feature-00101") { compare(from: "2025-01-01T00:00:00Z") { unknown changes { path before after } } compareEnvironments(fromName: "development", toName: "production") { changes { path } } } }',
  '{ activity(by: WEEK, filter: { text: "lighthouse" }) { count buckets { from count } } }',
  'mutation M($input: CloneFeatureInput!) { cloneFeature(input: $input) { __typename ... on CloneFeaturePayload { feature { name } } ... on Error { name message } } }',
  'query P($input: CloneFeatureInput!) { clonePlan(input: $input) { wouldSucceed refusals { __typename message } copy { name environments { strategies { name } } } } }',
  'mutation L($input: CloneFeatureInput!) { cloneFeatures(inputs: [$input, { featureName: "feature-00102", newName: "feature-00101" }]) { succeeded results { __typename ... on Error { name message } } } }',
  '{ projects(filter: { viewerCan: CREATE_FEATURE }) { totalCount nodes { id viewerCan { createFeature updateFeature } } } }',
  '{ integrations { id provider deliveries(first: 2) { nodes { id } } } cleanUp(first: 3) { nodes { feature { name } } } }',
  '{ __schema { types { name fields { name } } } node(id: "x") { nodeId } nodes(ids: ["a", "b"]) { nodeId } }',
  'fragment F on Event { id project { id } } query A { events(last: 2) { nodes { ...F } } } query B { event(id: 5) { ...F } }',
];

const WORD = /[A-Za-z_]\w*|"[^"]*"|[^\sA-Za-z_]/g;

const literal = (random: Random) =>
  random.pick([
    'null',
    '-1',
    '0',
    '1001',
    '99999999999',
    '1.5',
    'true',
    'X',
    '[]',
    '{}',
    '""',
    `"${edgeCaseValue(random).replace(/["\\\n]/g, '')}"`,
    '$v',
    '@skip(if: true)',
    '...',
    '{',
    '}',
    '(',
  ]);

/** Changes some tokens of a document. Most results still parse. */
const mutate = (random: Random, document: string): string => {
  const tokens = document.match(WORD) ?? [];
  for (let change = random.below(4); change > 0; change -= 1) {
    const position = random.below(tokens.length);
    const kind = random.below(4);
    if (kind === 0) tokens.splice(position, 1);
    else if (kind === 1) tokens.splice(position, 0, tokens[random.below(tokens.length)] ?? '');
    else if (kind === 2) tokens[position] = literal(random);
    else tokens.splice(position, 0, literal(random));
  }
  return tokens.join(' ');
};

export const graphqlRequest = (random: Random): RawRequest => {
  const query = mutate(random, random.pick(DOCUMENTS));
  const variables = random.pick([
    () => ({
      first: edgeCaseJson(random),
      after: edgeCaseJson(random),
      filter: edgeCaseJson(random),
    }),
    () => ({
      first: 2,
      filter: {
        [random.pick(['text', 'touches', 'projectId', 'id', 'createdAt', 'and', 'not'])]:
          edgeCaseJson(random),
      },
    }),
    () => ({
      input: {
        featureName: 'feature-00101',
        newName: edgeCaseValue(random),
        targetProjectId: random.pick(['payments', edgeCaseValue(random)]),
      },
    }),
    () => edgeCaseJson(random),
  ])();
  const operation = {
    query,
    variables,
    ...(random.below(5) === 0 && { operationName: edgeCaseJson(random) }),
    ...(random.below(8) === 0 && { extensions: edgeCaseJson(random) }),
  };
  if (random.below(5) === 0) {
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    return encode({
      method: random.pick(['GET', 'HEAD']),
      path: `/graphql?${search}`,
      headers: headersOf(random),
    });
  }
  const body =
    random.below(12) === 0
      ? JSON.stringify([operation, operation])
      : JSON.stringify(random.below(10) === 0 ? edgeCaseJson(random) : operation);
  return encode({
    method: 'POST',
    path: '/graphql',
    headers: { ...headersOf(random), 'Content-Type': contentTypeOf(random) },
    body: random.below(15) === 0 ? body.slice(0, -1 - random.below(10)) : body,
  });
};
