import { collectEvents } from './collect-events.js';

/** @import { Session } from './session.js' */

/** @param {RequestInit | undefined} init */
const isIntrospection = (init) => {
  if (typeof init?.body !== 'string') return false;
  try {
    return JSON.parse(init.body).operationName === 'IntrospectionQuery';
  } catch {
    return false;
  }
};

/**
 * A fetch that adds the tab's token to requests to the gateway, unless Headers already has one.
 * @param {typeof globalThis.fetch} fetch
 * @param {Session} session
 * @param {{ endpoint: string, openIntrospection: boolean }} settings
 * @returns {typeof globalThis.fetch}
 */
export const createAuthorizedFetch = (fetch, session, { endpoint, openIntrospection }) => {
  const address = new URL(endpoint, location.href).href;

  /** @param {RequestInit | undefined} init @param {string} token */
  const withToken = (init, token) => {
    const headers = new Headers(init?.headers);
    if (token !== '' && !headers.has('authorization')) headers.set('authorization', token);
    return { ...init, headers };
  };

  /**
   * GraphiQL sends its introspection query only once, so it waits here until a token is valid.
   * @param {string} url
   * @param {RequestInit | undefined} init
   */
  const introspect = async (url, init) => {
    for (;;) {
      const isKnown = session.identity().state === 'known';
      const response =
        isKnown || openIntrospection
          ? await fetch(url, withToken(init, isKnown ? session.token() : '')).catch(() => null)
          : null;
      if (response?.ok) return response;
      await session.nextIdentity();
    }
  };

  /**
   * @param {string} url
   * @param {RequestInit | undefined} init
   */
  const run = async (url, init) => {
    const before = session.identity().state;
    try {
      const response = await fetch(url, withToken(init, session.token()));
      const isRefused = response.status === 401 && before === 'known';
      if (isRefused || before === 'down') void session.check();
      return collectEvents(response);
    } catch (error) {
      const isAborted = error instanceof DOMException && error.name === 'AbortError';
      if (!isAborted) void session.check();
      throw error;
    }
  };

  return (input, init) => {
    const url = input instanceof Request ? input.url : new URL(input, location.href).href;
    if (url.replace(/\?.*/, '') !== address) return fetch(input, init);
    return isIntrospection(init) ? introspect(url, init) : run(url, init);
  };
};
