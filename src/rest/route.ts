import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../domain/actor.js';
import { BadDataError } from '../domain/errors.js';
import { createMatcher } from '../http/path-pattern.js';
import { type RequestBody, readObject } from './body.js';
import { parseQuery, type Query } from './query-params.js';
import type { RestOperations } from './rest-operations.js';

type ParamNames<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? ParamNames<Head> | ParamNames<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never;

type Params<Path extends string> = Readonly<Record<ParamNames<Path>, string>>;

type RouteDefinition<Path extends string, Input> = {
  method: 'GET' | 'POST';
  path: Path;
  isDeprecated?: boolean;
  /** Section of the migration guide with the equivalent query. */
  guide?: string;
  /** Runs before the input is parsed. */
  authorize?: (actor: Actor, params: Params<Path>) => void;
  parse: (call: {
    params: Params<Path>;
    query: Query;
    headers: IncomingHttpHeaders;
    body: RequestBody;
  }) => Input;
  /** Cost points, by the rates of `domain/cost.ts`. */
  cost: (input: Input) => number;
  run: (operations: RestOperations, actor: Actor, input: Input) => Promise<object>;
};

type RawParams = Readonly<Record<string, string>>;

export type Route = {
  path: string;
  allowedMethods: readonly string[];
  isDeprecated: boolean;
  guide?: string;
  /** The raw path parameters, or null if the segments of the path do not match. */
  match: (parts: readonly string[]) => RawParams | null;
  /** Validates a request and returns its cost and its operation. */
  prepare: (request: {
    actor: Actor;
    params: RawParams;
    search: string;
    headers: IncomingHttpHeaders;
    body: RequestBody;
  }) => {
    cost: number;
    run: (operations: RestOperations) => Promise<object>;
  };
};

const decodePart = (name: string, raw: string) => {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw BadDataError.of({
      message: `The path segment '${raw}' is not valid percent-encoding.`,
      path: `/params/${name}`,
    });
  }
};

/** Percent-decodes the parameters. Throws if one can't be decoded. */
export const decodeParams = (rawParams: RawParams): RawParams =>
  Object.fromEntries(Object.entries(rawParams).map(([name, raw]) => [name, decodePart(name, raw)]));

/** A path, a parser and one operation call, with the steps they have in common. */
export const defineRoute = <const Path extends string, Input>({
  method,
  path,
  isDeprecated = false,
  guide,
  authorize,
  parse,
  cost,
  run,
}: RouteDefinition<Path, Input>): Route => {
  return {
    path,
    allowedMethods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    isDeprecated,
    ...(guide !== undefined && { guide }),
    match: createMatcher(path),
    prepare: ({ actor, params: named, search, headers, body }) => {
      const params = named as Params<Path>;
      authorize?.(actor, params);
      const input = parse({ params, query: parseQuery(search), headers, body });
      // Unleash validates the body of every request, even if the route does not use it.
      readObject(body);
      return { cost: cost(input), run: (operations) => run(operations, actor, input) };
    },
  };
};
