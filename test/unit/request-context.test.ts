import { expect, test } from 'vitest';
import { requestIdOf } from '../../src/observability/request-id.js';
import { readTraceParent } from '../../src/observability/trace-parent.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

test.each(['abc-123', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'a:b/c+d=e@f.g_h', 'x'.repeat(128)])(
  'accepts the request ID %s',
  (id) => {
    expect(requestIdOf(id)).toBe(id);
  },
);

test.each([undefined, '', 'a b', 'a"b', 'a\u001b[31mb', 'é', 'a,b', 'x'.repeat(129), ['a', 'b']])(
  'creates a request ID instead of %o',
  (id) => {
    expect(requestIdOf(id)).toMatch(UUID);
  },
);

test('reads the trace context of the client', () => {
  expect(
    readTraceParent({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'vendor=1' }),
  ).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true, state: 'vendor=1' });
  expect(readTraceParent({ traceparent: `00-${TRACE}-${SPAN}-00` })).toEqual({
    traceId: TRACE,
    spanId: SPAN,
    isSampled: false,
  });
});

test('accepts later versions with more fields', () => {
  expect(readTraceParent({ traceparent: `cc-${TRACE}-${SPAN}-03-more` })?.traceId).toBe(TRACE);
});

test('ignores a trace state that is too long or has control characters', () => {
  const traceparent = `00-${TRACE}-${SPAN}-01`;
  for (const tracestate of [`a=${'x'.repeat(511)}`, 'a=\u0007']) {
    expect(readTraceParent({ traceparent, tracestate })).not.toHaveProperty('state');
  }
});

test.each([
  ['', 'no header'],
  ['garbage', 'garbage'],
  [`00-${TRACE}-${SPAN}-01-more`, 'a field too many'],
  [`ff-${TRACE}-${SPAN}-01`, 'the forbidden version'],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, 'a trace ID of zeros'],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, 'a span ID of zeros'],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, 'upper case'],
  [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, 'two headers'],
  [`cc-${TRACE}-${SPAN}-01-${'x'.repeat(201)}`, 'a header that is too long'],
])('ignores the trace context %s: %s', (traceparent) => {
  expect(readTraceParent({ traceparent })).toBeUndefined();
});
