import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = 'server' | 'client' | 'internal';

/** The trace context that a client sent in `traceparent` and `tracestate`. */
export type TraceParent = {
  traceId: string;
  spanId: string;
  isSampled: boolean;
  state?: string;
};

/** One timed step of a request. */
export type Span = {
  readonly traceId: string;
  /** False for requests that the sampler has left out. */
  readonly isRecorded: boolean;
  set(attributes: SpanAttributes): void;
  /** Ends the step. An error type marks it as failed. */
  end(errorType?: string): void;
};

export type Tracer = {
  start(name: string, kind: SpanKind, parent: Span | TraceParent | undefined): Span;
};

export type StepOptions<Result> = {
  kind?: SpanKind;
  /** Called for recorded steps only. Must not contain values that clients send. */
  attributes?: () => SpanAttributes;
  /** The error type of a result that reports a failure without throwing. */
  failureOf?: (result: Result) => string | undefined;
};

let tracer: Tracer | undefined;
const active = new AsyncLocalStorage<Span>();

/** Turns tracing on for the process, or off again. */
export const setTracer = (newTracer: Tracer | undefined): void => {
  tracer = newTracer;
};

/** Starts the span of a request. Undefined while tracing is off. */
export const startRequestSpan = (name: string, parent: TraceParent | undefined): Span | undefined =>
  tracer?.start(name, 'server', parent);

/** Makes `span` the parent of all steps of `run`. */
export const runInSpan = <Result>(span: Span | undefined, run: () => Result): Result =>
  span ? active.run(span, run) : run();

/** A kind of failure. Messages are left out: they can contain values. */
const errorTypeOf = (error: unknown): string =>
  error instanceof Error ? error.name : typeof error;

/** Runs a step of the current request, as a span of its own if the request is traced. */
export const traceStep = <Result>(
  name: string,
  run: () => Promise<Result>,
  options: StepOptions<Result> = {},
): Promise<Result> => {
  const parent = tracer && active.getStore();
  if (!tracer || !parent?.isRecorded) return run();
  const span = tracer.start(name, options.kind ?? 'internal', parent);
  if (options.attributes) span.set(options.attributes());
  // Prisma sends a statement when its promise is awaited, which must happen inside.
  return active
    .run(span, async () => run())
    .then(
      (result) => {
        span.end(options.failureOf?.(result));
        return result;
      },
      (error: unknown) => {
        span.end(errorTypeOf(error));
        throw error;
      },
    );
};
