import {
  type Span as ApiSpan,
  type Tracer as ApiTracer,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Span, TraceParent, Tracer } from '../domain/tracing.js';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

const remoteContext = ({ traceId, spanId, isSampled, state }: TraceParent): Context =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  });

/** Records the spans of the gateway with a tracer of OpenTelemetry. */
export const createOtelTracer = (api: ApiTracer): Tracer => {
  const spans = new WeakMap<object, ApiSpan>();

  const contextOf = (parent: Span | TraceParent | undefined): Context => {
    if (!parent) return ROOT_CONTEXT;
    const span = spans.get(parent);
    return span ? trace.setSpan(ROOT_CONTEXT, span) : remoteContext(parent as TraceParent);
  };

  return {
    start: (name, kind, parent) => {
      const inner = api.startSpan(name, { kind: KINDS[kind] }, contextOf(parent));
      const span: Span = {
        traceId: inner.spanContext().traceId,
        isRecorded: inner.isRecording(),
        set: (attributes) => {
          inner.setAttributes(attributes);
        },
        end: (errorType) => {
          if (errorType !== undefined) {
            inner.setAttribute('error.type', errorType);
            inner.setStatus({ code: SpanStatusCode.ERROR });
          }
          inner.end();
        },
      };
      spans.set(span, inner);
      return span;
    },
  };
};
