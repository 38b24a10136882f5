import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type ValidationRule,
} from 'graphql';
import type { Actor } from '../domain/actor.js';
import { BadDataError } from '../domain/errors.js';
import { namesType } from '../http/accepted-types.js';
import { toGraphQLError } from './errors.js';
import { executeOperation } from './execute-operation.js';

/** A subscription that may turn out to ask for nothing cannot be followed; the specification forbids it, too. */
export const certainRootRule: ValidationRule = (context) => ({
  Directive: (node) => {
    const isConditional = ['skip', 'include'].includes(node.name.value);
    if (!isConditional || context.getParentType()?.name !== 'Subscription') return;
    context.reportError(
      new GraphQLError(`The field of a subscription takes no @${node.name.value}.`, {
        nodes: node,
      }),
    );
  },
});

/** What a subscription's field hands on with each event: the actor it was read for. */
export type Payload = { actor: Actor };

/** Only who asks for a stream gets one without an end; everything at all is what callers name who did not think of it. */
const asksForStream = (accept: string | null): boolean =>
  namesType(accept ?? undefined, 'text/event-stream', 'text/*');

const noStream = () =>
  BadDataError.of({
    message:
      'A subscription is answered as server-sent events. Ask for them: Accept: text/event-stream.',
  });

type Results = AsyncIterableIterator<ExecutionResult>;

type Source = AsyncIterable<Payload> | ExecutionResult;

const isStream = (source: Source): source is AsyncIterable<Payload> =>
  Symbol.asyncIterator in source;

/** A stream of other things than the given one; whoever ends it ends both at once. */
export const mapStream = <From, To>(
  source: AsyncIterator<From>,
  map: (item: From) => To | Promise<To>,
): AsyncIterableIterator<To> => ({
  next: async () => {
    const { done, value } = await source.next();
    return done ? { done, value: undefined } : { done: false, value: await map(value) };
  },
  return: async () => {
    await source.return?.();
    return { done: true, value: undefined };
  },
  [Symbol.asyncIterator]() {
    return this;
  },
});

/** A stream that fails tells why as its last result, instead of breaking off. */
const endWithFailure = (results: Results): Results => {
  let hasEnded = false;
  return {
    ...results,
    next: async () => {
      if (hasEnded) return { done: true, value: undefined };
      try {
        return await results.next();
      } catch (error) {
        hasEnded = true;
        const originalError = error instanceof Error ? error : new Error(String(error));
        const told = new GraphQLError('The subscription has ended.', { originalError });
        return { done: false, value: { errors: [told] } };
      }
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
};

/** Like GraphQL's own, with a context made anew for each event: what was loaded for an earlier one may have changed. */
export const createSubscribe =
  (contextFor: (actor: Actor) => object) =>
  async (args: ExecutionArgs): Promise<Results | ExecutionResult> => {
    const { request } = args.contextValue as { request: Request };
    if (!asksForStream(request.headers.get('accept'))) {
      return { errors: [toGraphQLError(noStream())] };
    }
    const source = (await createSourceEventStream(args)) as Source;
    if (!isStream(source)) return source;
    return endWithFailure(
      mapStream(source[Symbol.asyncIterator](), (payload) =>
        executeOperation({
          ...args,
          rootValue: payload,
          contextValue: { ...(args.contextValue as object), ...contextFor(payload.actor) },
        }),
      ),
    );
  };
