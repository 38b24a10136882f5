/** Re-exports `data/tracing.ts` for folders that do not import `data`. */

export {
  runInSpan,
  type Span,
  type SpanAttributes,
  type SpanKind,
  setTracer,
  startRequestSpan,
  type TraceParent,
  type Tracer,
  traceStep,
} from '../data/tracing.js';
