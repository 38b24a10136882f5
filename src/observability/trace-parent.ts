import type { IncomingHttpHeaders } from 'node:http';

// https://www.w3.org/TR/trace-context/: later versions may append fields.
const TRACE_PARENT =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-[\x20-\x7e]{0,200})?$/;
const TRACE_STATE = /^[\x20-\x7e\t]{1,512}$/;
const SAMPLED = 1;

/** The trace context of the caller. Undefined if it sent none, or an invalid one. */
export const readTraceParent = ({ traceparent, tracestate }: IncomingHttpHeaders) => {
  const [, version, traceId, spanId, flags, rest] =
    TRACE_PARENT.exec(typeof traceparent === 'string' ? traceparent : '') ?? [];
  if (!traceId || !spanId || !flags || (version === '00' && rest !== undefined)) return undefined;
  const isState = typeof tracestate === 'string' && TRACE_STATE.test(tracestate);
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED,
    ...(isState && { state: tracestate }),
  };
};
