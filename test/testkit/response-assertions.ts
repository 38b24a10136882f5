import { expect } from 'vitest';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

// Words of SQL, stack traces and internal packages, which no response may contain.
const INTERNALS =
  /\bselect\b.*\bfrom\b|insert into|\bilike\b|relation "|\$\d\b|prisma|pglite|node_modules|\bat (async )?\S+ \(|\.[jt]s:\d+|postgres(ql)?:\/\/|"stack"/i;

/** Asserts that a response reveals neither internals nor credentials. */
export const expectNoInternals = (text: string, ...secrets: string[]): void => {
  expect(text).not.toMatch(INTERNALS);
  for (const secret of secrets) expect(text).not.toContain(secret);
};

/** The error body of the API document, with `details` and no additional keys. */
export const expectErrorBody = (
  // biome-ignore lint/suspicious/noExplicitAny: responses of any shape are checked here.
  body: any,
  name: string,
): void => {
  expect(Object.keys(body).slice(0, 4)).toEqual(['id', 'name', 'message', 'details']);
  expect(body.id).toMatch(UUID);
  expect(body.name).toBe(name);
  expect(body.message).toMatch(/\S/);
  expect(body.details.length).toBeGreaterThan(0);
  for (const detail of body.details) expect(detail.message).toMatch(/\S/);
};
