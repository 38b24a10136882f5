import { gzipSync } from 'node:zlib';
import { LARGE_PROJECT } from '../../../bench/src/world/facts.js';
import { type Call, graphqlCall } from '../clients/http.js';
import { createRandom, type Random } from '../random.js';
import type { RunAttack } from './attack.js';
import { loop } from './requests.js';

const REPEATED = Array.from({ length: 44 }, (_, n) => n);

type Build = (random: Random, token: string, index: number) => Call;

/** Sends unique requests that a viewer may send, over a few connections. */
const sendAll =
  (build: Build): RunAttack =>
  ({ url, token = '', seed, loops = 6 }, signal) => {
    const random = createRandom(seed);
    return loop(url, signal, { loops }, (index) => build(random, token, index));
  };

const RANGE = 'from: "2024-01-01T00:00:00Z", before: "2025-12-31T00:00:00Z"';

const timelines: Build = (random, token) =>
  graphqlCall(
    `{ features(first: 1000) { nodes { timeline(environmentName: "${random.pick(['development', 'production'])}", last: ${10 + random.below(20)}) { from before } } } }`,
    { token },
  );

const activities: Build = (random, token) =>
  graphqlCall(
    `{ projects(first: 20) { nodes { activity(by: WEEK, ${RANGE}, filter: { id: { before: ${900_000 + random.below(100_000)} } }) {
      buckets { count byType { type count } byAuthor { createdBy count } } } } } }`,
    { token },
  );

const collaborators: Build = (_random, token, index) =>
  graphqlCall(
    `query Q${index % 50} { features(first: 1000) { nodes { collaborators { name } } } }`,
    {
      token,
    },
  );

const eventsOfFeatures: Build = (random, token) =>
  graphqlCall(
    `{ features(first: 1000) { nodes { events(first: 5, filter: { createdByUserId: { is: ${1 + random.below(50)} } }) { nodes { id } } } } }`,
    { token },
  );

const TYPE_FIELDS = [
  'name kind description',
  'fields(includeDeprecated: true) { name description args { name description type { name ofType { name } } } type { name ofType { name ofType { name } } } }',
  'inputFields { name description type { name ofType { name } } }',
  'enumValues { name description }',
  'interfaces { name description }',
  'possibleTypes { name description }',
];

const introspections: Build = (_random, token, index) =>
  graphqlCall(`query Q${index % 50} { __schema { types { ${TYPE_FIELDS.join(' ')} } } }`, {
    token,
  });

const schemaNextToData: Build = (_random, token, index) =>
  graphqlCall(
    `query Q${index % 50} { viewer { kind } __schema { types { ${TYPE_FIELDS.join(' ')} } } }`,
    { token },
  );

/** Short lists, each with statements of its own. */
const manyLists: Build = (random, token) => {
  const lists = Array.from({ length: 49 }, (_, index) =>
    index % 2 === 0
      ? `a${index}: events(first: 1, filter: { id: { before: $to, noneOf: [${index}] } }) { nodes { id } }`
      : `a${index}: features(first: 1, filter: { name: { noneOf: ["${index}"] } }) { nodes { name } }`,
  );
  return graphqlCall(`query ($to: Int!) { ${lists.join(' ')} }`, {
    token,
    variables: { to: 100_000 + random.below(900_000) },
  });
};

const wideFilters: Build = (random, token) =>
  graphqlCall(
    'query ($filter: EventFilter) { events(first: 1, filter: $filter) { totalCount nodes { id } } }',
    {
      token,
      variables: {
        filter: {
          or: Array.from({ length: 4 }, () => ({
            id: { anyOf: Array.from({ length: 990 }, () => 1 + random.below(1_000_000)) },
          })),
        },
      },
    },
  );

/** Each one is compared with all names of its type, for suggestions. */
const unknownNames: Build = (_random, token, index) => {
  const names = Array.from({ length: 20 }, (_, n) => `FEATURE_ENVIRONMENT_VARIANTZ_${n}`);
  return graphqlCall(
    `query Q${index} { events(filter: { type: { anyOf: [${names.join(' ')}] } }) { totalCount } }`,
    { token },
  );
};

/** Fields that read the same large filter. */
const sharedFilters: Build = (random, token) =>
  graphqlCall(
    `query ($filter: EventFilter) { ${['a', 'b'].map((name) => `${name}: events(first: 1, filter: $filter) { totalCount }`).join(' ')} }`,
    {
      token,
      variables: {
        filter: {
          or: Array.from({ length: 4 }, () => ({
            id: { anyOf: Array.from({ length: 990 }, () => 1 + random.below(1_000_000)) },
          })),
        },
      },
    },
  );

/** Validation compares all fragments of a selection with each other. */
const manyFragments: Build = (_random, token, index) => {
  const numbers = Array.from({ length: 99 }, (_, n) => n);
  const fields = ['id', 'label', 'data', 'summary', 'type', 'createdAt', 'createdBy'];
  return graphqlCall(
    `query Q${index} { event(id: 1) { ${numbers.map((n) => `...F${n}`).join(' ')} } }
    ${numbers.map((n) => `fragment F${n} on Event { ${fields[n % fields.length]} }`).join(' ')}`,
    { token },
  );
};

/** The changes of thousands of events, computed in one batch. */
const changes: Build = (random, token) => {
  const last = 100_000 + random.below(900_000);
  const types = 'FEATURE_CREATED FEATURE_TAGGED FEATURE_STRATEGY_REMOVE FEATURE_STRATEGY_ADD';
  const lists = Array.from(
    { length: 9 },
    (_, n) =>
      `a${n}: events(first: 1000, filter: { type: { anyOf: [${types}] } id: { before: ${last - n * 8_000} } }) { nodes { changes { path } } }`,
  );
  return graphqlCall(`{ ${lists.join(' ')} }`, { token });
};

/** Totals that were never counted before. */
const newTotals: Build = (random, token) => {
  const from = new Date(1_577_836_800_000 + random.below(1_000_000_000)).toISOString();
  return graphqlCall(
    `{ events(first: 1, filter: { createdAt: { from: "${from}" } }) { totalCount } }`,
    { token },
  );
};

/** A fragment counts its aliases once, however often it is spread. */
const repeatedFacets: Build = (_random, token, index) => {
  const lists = REPEATED.map((n) => `a${n}: features(first: 1) { pageInfo { hasNextPage } }`);
  const roots = REPEATED.slice(0, 5).map((n) => `r${n}: eventFacets { ...Lists }`);
  return graphqlCall(
    `query Q${index % 50} { ${roots.join(' ')} } fragment Lists on EventFacets { ${lists.join(' ')} }`,
    { token },
  );
};

/** The same comparison of each feature, and the same counts of a project, in many fields. */
const repeatedComputations: Build = (_random, token, index) => {
  const compare = 'compareEnvironments(fromName: "development", toName: "production")';
  const fields = REPEATED.slice(0, 20).map((n) => `a${n}: ${compare} { changes { path } }`);
  const counts = REPEATED.slice(0, 30).map((n) => `a${n}: countsByType { count }`);
  const roots = REPEATED.slice(0, 20).map(
    (n) => `r${n}: project(id: "${LARGE_PROJECT}") { health { ...Counts } }`,
  );
  return graphqlCall(
    index % 2 === 0
      ? `query Q${index % 50} { features(first: 60) { nodes { ${fields.join(' ')} } } }`
      : `query Q${index % 50} { ${roots.join(' ')} } fragment Counts on ProjectHealth { ${counts.join(' ')} }`,
    { token },
  );
};

const healthReports: Build = (_random, token, index) => ({
  path: `/api/admin/projects/${LARGE_PROJECT}/health-report?n=${index}`,
  headers: { authorization: token },
});

const EMPTY_LINES = '\n'.repeat(990);

/** Each of a hundred errors is located by counting the lines before it. */
const errorsAfterLines: Build = (_random, token, index) =>
  graphqlCall(
    `${EMPTY_LINES}query Q${index % 50} { features(first: 100) { nodes { enabled(environmentName: "unknown") } } }`,
    { token },
  );

/** A filter of almost a thousand values below short lists, which each of their objects reads. */
const nestedFilters: Build = (random, token) =>
  graphqlCall(
    `query ($ids: [Int!]!) { projects(first: 20) { nodes { features(first: 20) { nodes {
      events(first: 1, filter: { id: { anyOf: $ids } }) { nodes { id } } } } } } }`,
    { token, variables: { ids: Array.from({ length: 990 }, () => 1 + random.below(1_000_000)) } },
  );

/** Names that no feature has: small responses, for which the database does most of the work. */
const wideSearches: Build = (random, token) => {
  const names = Array.from({ length: 900 }, () => `x${random.below(100_000)}`);
  return {
    path: `/api/admin/search/events?limit=1&feature=IS_ANY_OF:${names.join(',')}`,
    headers: { authorization: token },
  };
};

/** The maximum number of values in a body, and text up to its maximum size. */
const LARGE_BODY = `{"list":[${'{},'.repeat(4_900)}"${'x'.repeat(80_000)}"]}`;

const restBodies: Build = (_random, token, index) => ({
  path: `/api/admin/search/events?limit=1&offset=${index % 1_000}`,
  headers: {
    authorization: token,
    'content-type': 'application/json',
    'content-length': String(LARGE_BODY.length),
  },
  body: LARGE_BODY,
});

const compressedBodies: Build = (random, token) => {
  const { path, method, headers, body } = graphqlCall(
    'query ($names: [String!]!) { events(first: 1, filter: { featureName: { anyOf: $names } }) { nodes { id } } }',
    {
      token,
      variables: { names: Array.from({ length: 90 }, () => random.text(1).repeat(9_999)) },
      headers: { 'content-encoding': 'gzip' },
    },
  );
  return {
    path,
    ...(method && { method }),
    ...(headers && { headers }),
    body: gzipSync(body ?? ''),
  };
};

export const LARGE_OPERATIONS = {
  timelines: sendAll(timelines),
  activities: sendAll(activities),
  collaborators: sendAll(collaborators),
  eventsOfFeatures: sendAll(eventsOfFeatures),
  introspections: sendAll(introspections),
  schemaNextToData: sendAll(schemaNextToData),
  manyLists: sendAll(manyLists),
  wideFilters: sendAll(wideFilters),
  unknownNames: sendAll(unknownNames),
  sharedFilters: sendAll(sharedFilters),
  manyFragments: sendAll(manyFragments),
  changes: sendAll(changes),
  newTotals: sendAll(newTotals),
  repeatedFacets: sendAll(repeatedFacets),
  repeatedComputations: sendAll(repeatedComputations),
  healthReports: sendAll(healthReports),
  errorsAfterLines: sendAll(errorsAfterLines),
  nestedFilters: sendAll(nestedFilters),
  wideSearches: sendAll(wideSearches),
  restBodies: sendAll(restBodies),
  compressedBodies: sendAll(compressedBodies),
} satisfies Record<string, RunAttack>;
