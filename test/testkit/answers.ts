import { expect } from 'vitest';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

// Words of SQL, of stack traces and of the packages inside: none of them belongs into an answer.
const INSIDES =
  /\bselect\b.*\bfrom\b|insert into|\bilike\b|relation "|\$\d\b|prisma|pglite|node_modules|\bat (async )?\S+ \(|\.[jt]s:\d+|postgres(ql)?:\/\/|"stack"/i;

/** Nothing in an answer tells how the gateway is built or who calls. */
export const expectNoInsides = (text: string, ...secrets: string[]): void => {
  expect(text).not.toMatch(INSIDES);
  for (const secret of secrets) expect(text).not.toContain(secret);
};

/** The API document's error body, with `details` and nothing unexpected. */
export const expectErrorBody = (
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape is judged here.
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
