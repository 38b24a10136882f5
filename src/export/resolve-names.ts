import { didYouMeanAmong } from '../domain/did-you-mean.js';
import { toPlainLine } from '../domain/plain-line.js';
import {
  authorIds,
  type EventFilter,
  type FilterOptions,
  recordedNames,
} from './filter-options.js';
import { COMMAND_OPTIONS, OptionError, type OptionNames } from './option-error.js';

/** Enough to suggest a name; more would only delay the error. */
const MAX_PAGES = 10;
const MAX_CANDIDATES = 5;

/** Sends a query to the graph and returns its data. Throws on errors. */
export type RunQuery = <Data>(query: string, variables?: Record<string, unknown>) => Promise<Data>;

/** The graph as the caller sees it, and how the options are called in messages. */
type Resolver = { runQuery: RunQuery; optionNames: OptionNames };
type Named = { id: string; name: string };

/** Whether any event matches: the log also contains deleted projects, features and environments. */
const isRecorded = async ({ runQuery }: Resolver, filter: EventFilter): Promise<boolean> => {
  const { events } = await runQuery<{ events: { nodes: unknown[] } }>(
    'query Recorded($filter: EventFilter) { events(first: 1, filter: $filter) { nodes { id } } }',
    { filter },
  );
  return events.nodes.length > 0;
};

type Page<Node> = {
  page: { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
};

const readAll = async <Node>({ runQuery }: Resolver, query: string): Promise<Node[]> => {
  const nodes: Node[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const { page }: Page<Node> = await runQuery<Page<Node>>(query, { after });
    nodes.push(...page.nodes);
    if (!page.pageInfo.hasNextPage) break;
    after = page.pageInfo.endCursor;
  }
  return nodes;
};

const PROJECTS = `query Projects($after: String) {
  page: projects(first: 1000, after: $after, filter: { archived: null }) {
    nodes { id name } pageInfo { hasNextPage endCursor }
  }
}`;

const unknown = async (
  kind: string,
  name: string,
  known: readonly string[],
): Promise<OptionError> => {
  const hint =
    (await didYouMeanAmong(name, known.map(toPlainLine))) ||
    ` Check the spelling, or what your token can see.`;
  return new OptionError(`No ${kind} is called '${name}', and no event mentions it.${hint}`);
};

const resolveProjects = async (resolver: Resolver, names: readonly string[]): Promise<string[]> => {
  const projects = await readAll<Named>(resolver, PROJECTS);
  const resolve = async (text: string): Promise<string> => {
    if (projects.some(({ id }) => id === text)) return text;
    const named = projects.filter(({ name }) => name.toLowerCase() === text.toLowerCase());
    if (named.length > 1) {
      throw new OptionError(
        `Several projects are named '${text}'. Pass one of these IDs to ${resolver.optionNames.project}: ${named.map(({ id }) => id).join(', ')}.`,
      );
    }
    if (named[0]) return named[0].id;
    if (await isRecorded(resolver, { projectId: { is: text } })) return text;
    throw await unknown(
      'project',
      text,
      projects.flatMap(({ id, name }) => [id, name]),
    );
  };
  return inOrder(names, resolve);
};

const FEATURES = `query Features($after: String) {
  page: features(first: 1000, after: $after, filter: { archived: null }) {
    nodes { name } pageInfo { hasNextPage endCursor }
  }
}`;

const assertFeature = async (resolver: Resolver, name: string): Promise<void> => {
  const { feature: found } = await resolver.runQuery<{ feature: object | null }>(
    'query Feature($name: String!) { feature(name: $name) { name } }',
    { name },
  );
  if (found || (await isRecorded(resolver, { featureName: { is: name } }))) return;
  const features = await readAll<{ name: string }>(resolver, FEATURES);
  throw await unknown(
    'feature',
    name,
    features.map((feature) => feature.name),
  );
};

const ENVIRONMENTS = `query Environments($after: String) {
  page: projects(first: 100, after: $after) {
    nodes { environments { environmentName } } pageInfo { hasNextPage endCursor }
  }
}`;

const assertEnvironments = async (resolver: Resolver, names: readonly string[]): Promise<void> => {
  const projects = await readAll<{ environments: { environmentName: string }[] }>(
    resolver,
    ENVIRONMENTS,
  );
  const known = projects.flatMap(({ environments }) =>
    environments.map(({ environmentName }) => environmentName),
  );
  for (const name of names) {
    if (known.includes(name)) continue;
    if (await isRecorded(resolver, { environmentName: { is: name } })) continue;
    throw await unknown('environment', name, known);
  }
};

const AUTHORS = `query Authors($filter: EventFilter) {
  events(first: 1, filter: $filter) { nodes { createdByUserId } }
}`;

/** User IDs whose events carry this name. Old events have none. */
const findAuthors = async ({ runQuery }: Resolver, name: string): Promise<number[]> => {
  const ids: number[] = [];
  while (ids.length < MAX_CANDIDATES) {
    const filter = { createdBy: { is: name }, createdByUserId: { from: -(2 ** 31), noneOf: ids } };
    const { events } = await runQuery<{ events: { nodes: { createdByUserId: number }[] } }>(
      AUTHORS,
      {
        filter,
      },
    );
    const [event] = events.nodes;
    if (!event) break;
    ids.push(event.createdByUserId);
  }
  return ids;
};

const FREQUENT_AUTHORS = '{ activity { byAuthor { createdBy } } }';

const assertAuthor = async (resolver: Resolver, name: string): Promise<void> => {
  const ids = await findAuthors(resolver, name);
  if (ids.length > 1) {
    throw new OptionError(
      `Several users recorded events as '${name}'. Pass one of these IDs to ${resolver.optionNames.createdBy}: ${ids.join(', ')}.`,
    );
  }
  if (ids.length === 1 || (await isRecorded(resolver, { createdBy: { is: name } }))) return;
  const data = await resolver.runQuery<{ activity: { byAuthor: { createdBy: string }[] } }>(
    FREQUENT_AUTHORS,
  );
  const known = data.activity.byAuthor.map(({ createdBy }) => toPlainLine(createdBy));
  const hint =
    (await didYouMeanAmong(name, known)) || ' Pass a user ID, or a name as events record it.';
  throw new OptionError(`There are no events by '${name}'.${hint}`);
};

/** Old events have no user ID, and users without events are a mistake as well. */
const assertAuthorId = async (resolver: Resolver, id: number): Promise<void> => {
  if (await isRecorded(resolver, { createdByUserId: { is: id } })) return;
  throw new OptionError(
    `There are no events by the user ${id}. Admin tokens have the ID -42; a name or an email can be passed as well.`,
  );
};

const inOrder = async <Given, Result>(
  values: readonly Given[],
  work: (value: Given) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  for (const value of values) results.push(await work(value));
  return results;
};

/** Replaces project names by IDs. Throws for names that neither exist nor occur in the event log. */
export const resolveNames = async (
  runQuery: RunQuery,
  filter: EventFilter,
  options: FilterOptions,
  optionNames = COMMAND_OPTIONS,
): Promise<EventFilter> => {
  const resolver = { runQuery, optionNames };
  const { project, feature = [], environment } = options;
  const ids = project && (await resolveProjects(resolver, project));
  await inOrder(feature, (name) => assertFeature(resolver, name));
  if (environment) await assertEnvironments(resolver, environment);
  await inOrder(authorIds(options), (id) => assertAuthorId(resolver, id));
  await inOrder(recordedNames(options), (name) => assertAuthor(resolver, name));
  return ids
    ? { ...filter, projectId: ids.length === 1 ? { is: ids[0] } : { anyOf: ids } }
    : filter;
};
