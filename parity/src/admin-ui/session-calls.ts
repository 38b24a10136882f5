/** A request authenticated only by the session cookie, and its status. */
export type SessionCall = { what: string; status: number };

const call = async (
  what: string,
  url: string,
  cookie: string,
  body?: unknown,
): Promise<SessionCall> => {
  const response = await fetch(url, {
    headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return { what, status: response.status };
};

/** Requests each of the four paths. The clone's name is taken, so nothing is written. */
export const callPaths = async (root: string, cookie: string): Promise<SessionCall[]> => {
  const api = `${root}/api/admin`;
  const clone = `${api}/projects/default/features/planned/clone`;
  return [
    await call('event search', `${api}/search/events?limit=1`, cookie),
    await call('health report', `${api}/projects/default/health-report`, cookie),
    await call('integration events', `${api}/addons/1/events?limit=1&offset=0`, cookie),
    await call('clone', clone, cookie, { name: 'planned' }),
  ];
};

export const callGraphql = (root: string, cookie: string): Promise<SessionCall> =>
  call('graphql', `${root}/graphql`, cookie, { query: '{ events(first: 1) { nodes { id } } }' });
