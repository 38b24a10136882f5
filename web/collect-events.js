/** Results of a subscription that are shown. */
export const MAX_SHOWN = 100;

/** @typedef {{ data?: Record<string, unknown> | null, errors?: unknown[] }} Result */

/**
 * Adds a result to those before it: each field becomes the list of its values, the newest first.
 * @param {Record<string, unknown[]>} shown
 * @param {Result} result
 * @returns {Result}
 */
const collect = (shown, result) => {
  for (const [field, value] of Object.entries(result.data ?? {})) {
    shown[field] = [value, ...(shown[field] ?? [])].slice(0, MAX_SHOWN);
  }
  return { ...result, data: { ...shown } };
};

/**
 * @param {string} message Of server-sent events.
 * @param {Record<string, unknown[]>} shown
 */
const rewrite = (message, shown) => {
  const data = /^data: ?(.+)$/m.exec(message)?.[1];
  if (data === undefined || !/^event: ?next$/m.test(message)) return message;
  return `event: next\ndata: ${JSON.stringify(collect(shown, JSON.parse(data)))}`;
};

/** @param {ReadableStream<Uint8Array>} body */
const collectStream = (body) => {
  /** @type {Record<string, unknown[]>} */
  const shown = {};
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  /** @type {Transformer<Uint8Array, Uint8Array>} */
  const transformer = {
    transform: (chunk, controller) => {
      const messages = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) {
        controller.enqueue(encoder.encode(`${rewrite(message, shown)}\n\n`));
      }
    },
    flush: (controller) => controller.enqueue(encoder.encode(rest)),
  };
  return body.pipeThrough(new TransformStream(transformer));
};

/**
 * GraphiQL shows only the latest result of a subscription, so each result is made to contain those before it.
 * @param {Response} response
 * @returns {Response}
 */
export const collectEvents = (response) => {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !response.body) return response;
  const { status, statusText, headers } = response;
  return new Response(collectStream(response.body), { status, statusText, headers });
};
