import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type ValidationRule,
} from 'graphql';
import type { Actor } from '../domain/actor.js';
import { BadDataError } from '../domain/errors.js';
import { createSharedWork, currentWork, endWork, runAs } from '../domain/work.js';
import { namesType } from '../http/accepted-types.js';
import type { Call } from '../http/call.js';
import { toGraphQLError } from './errors.js';
import { executeOperation } from './execute-operation.js';
import { assessmentOf } from './use-operation-limits.js';

/** The selection runs again for each event, so a subscription costs as much as a page of this many events. */
export const FOLLOWED_EVENTS = 100;

/** A subscription whose field may be skipped cannot be followed; the specification forbids it, too. */
export const noConditionalRootRule: ValidationRule = (context) => ({
  Directive: (node) => {
    const isConditional = ['skip', 'include'].includes(node.name.value);
    if (!isConditional || context.getParentType()?.name !== 'Subscription') return;
    context.reportError(
      new GraphQLError(`The field of a subscription must not have @${node.name.value}.`, {
        nodes: node,
      }),
    );
  },
});

/** Root value for each event: the actor it was read for. */
export type Payload = { actor: Actor };

/** Only clients that explicitly accept event streams get an endless one; accepting any type is not enough. */
const acceptsStream = (accept: string | null): boolean =>
  namesType(accept ?? undefined, 'text/event-stream', 'text/*');

const noStream = () =>
  BadDataError.of({
    message:
      'Subscriptions are sent as server-sent events or over a WebSocket. Set the header Accept: text/event-stream.',
  });

type Results = AsyncIterableIterator<ExecutionResult>;

type Source = AsyncIterable<Payload> | ExecutionResult;

const isStream = (source: Source): source is AsyncIterable<Payload> =>
  Symbol.asyncIterator in source;

/** Maps a stream; ending the result ends the source at once. */
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

/** Reports a failure as the last result, instead of aborting the stream. */
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
        const ended = new GraphQLError('The subscription has ended.', { originalError });
        return { done: false, value: { errors: [ended] } };
      }
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
};

type SubscribeContext = {
  /** Absent for WebSockets, which can carry every operation. */
  request?: Request;
  signal: AbortSignal;
  call?: Call;
};

/** Runs each event in its own work, so that its usage does not count for the next one. */
const inSeparateWorks = (results: Results, signal: AbortSignal): Results => {
  const parent = currentWork();
  return {
    ...results,
    next: () => {
      const work = createSharedWork(parent, signal);
      return runAs(work, () => results.next()).finally(() => endWork(work));
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
};

/** Like GraphQL's own, with a new context for each event: what was loaded for an earlier one may have changed. */
export const createSubscribe =
  (contextFor: (actor: Actor) => object) =>
  async (args: ExecutionArgs): Promise<Results | ExecutionResult> => {
    const { request, call, signal } = args.contextValue as SubscribeContext;
    if (request && !acceptsStream(request.headers.get('accept'))) {
      return { errors: [toGraphQLError(noStream())] };
    }
    const source = (await createSourceEventStream(args)) as Source;
    if (!isStream(source)) return source;
    const perEvent = Math.ceil((assessmentOf(args).cost ?? 0) / FOLLOWED_EVENTS);
    const results = mapStream(source[Symbol.asyncIterator](), async (payload) => {
      await call?.pace(perEvent, signal);
      return executeOperation(
        {
          ...args,
          rootValue: payload,
          contextValue: { ...(args.contextValue as object), ...contextFor(payload.actor) },
        },
        perEvent,
      );
    });
    return endWithFailure(inSeparateWorks(results, signal));
  };
