import type { Actor } from '../domain/actor.js';
import { BadDataError } from '../domain/errors.js';
import { createMatcher, partsOf } from '../http/path-pattern.js';
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
  /** Section of the page that tells which query of the graph answers the same. */
  guide?: string;
  /** Judged before anything the request says is looked at. */
  authorize?: (actor: Actor, params: Params<Path>) => void;
  parse: (call: { params: Params<Path>; query: Query; body: RequestBody }) => Input;
  run: (operations: RestOperations, actor: Actor, input: Input) => Promise<object>;
};

type RawParams = Readonly<Record<string, string>>;

export type Route = {
  path: string;
  allowedMethods: readonly string[];
  isDeprecated: boolean;
  guide?: string;
  /** The parameters as they stand in the path, or null when this is another path. */
  match: (path: string) => RawParams | null;
  handle: (
    operations: RestOperations,
    call: { actor: Actor; params: RawParams; search: string; body: RequestBody },
  ) => Promise<object>;
};

const decodePart = (name: string, raw: string) => {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw BadDataError.of({
      message: `The path part '${raw}' cannot be percent-decoded.`,
      path: `/params/${name}`,
    });
  }
};

/** Percent-decodes the parameters; refuses what cannot be decoded. */
export const decodeParams = (rawParams: RawParams): RawParams =>
  Object.fromEntries(Object.entries(rawParams).map(([name, raw]) => [name, decodePart(name, raw)]));

/** A path, a parser and one operation call; what they need in common happens here. */
export const defineRoute = <const Path extends string, Input>({
  method,
  path,
  isDeprecated = false,
  guide,
  authorize,
  parse,
  run,
}: RouteDefinition<Path, Input>): Route => {
  const match = createMatcher(path);
  return {
    path,
    allowedMethods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    isDeprecated,
    ...(guide !== undefined && { guide }),
    match: (asked) => match(partsOf(asked)),
    handle: async (operations, { actor, params: named, search, body }) => {
      const params = named as Params<Path>;
      authorize?.(actor, params);
      const input = parse({ params, query: parseQuery(search), body });
      // The original judges the body of every request, also of one that has no use for it.
      readObject(body);
      return run(operations, actor, input);
    },
  };
};
