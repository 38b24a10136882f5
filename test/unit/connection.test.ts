import { describe, expect, test } from 'vitest';
import { BadDataError } from '../../src/domain/errors.js';
import { type CursorKey, pageCost, parsePage } from '../../src/graphql/connection.js';

type Row = { name: string };
const KEY: CursorKey<Row, string> = {
  kind: 'things',
  keyOf: ({ name }) => name,
  parse: (text) => (text === '' ? null : text),
};
const NUMBERED: CursorKey<{ id: number }, number> = {
  kind: 'numbers',
  keyOf: ({ id }) => id,
  parse: (text) => (/^\d+$/.test(text) ? Number(text) : null),
};

const read = (args: Parameters<typeof parsePage>[0], filter: unknown = {}) =>
  parsePage(args, { key: KEY, filter, max: 100 });

const cursorOf = (name: string, filter: unknown = {}): string => {
  const { edges } = read({}, filter).toConnection({ rows: [{ name }], hasMore: false });
  return edges[0]?.cursor ?? '';
};

describe('page arguments', () => {
  test('default to the first 50', () => {
    expect(read({}).page).toEqual({ limit: 50, backward: false });
    expect(read({ first: null, after: null, last: null, before: null }).page.limit).toBe(50);
  });

  test('set the page size and the direction', () => {
    expect(read({ first: 7 }).page).toEqual({ limit: 7, backward: false });
    expect(read({ last: 7 }).page).toEqual({ limit: 7, backward: true });
    expect(read({ first: 100 }).page.limit).toBe(100);
  });

  test.each([
    [{ first: 0 }, "'first' must be between 1 and 100 (got 0)."],
    [{ first: -1 }, "'first' must be between 1 and 100 (got -1)."],
    [{ first: 101 }, "'first' must be between 1 and 100 (got 101)."],
    [{ last: 0 }, "'last' must be between 1 and 100 (got 0)."],
    [{ last: 101 }, "'last' must be between 1 and 100 (got 101)."],
    [{ first: 1, last: 1 }, "Use either 'first' or 'last', not both."],
  ])('%j are rejected', (args, reason) => {
    const error = expect.objectContaining({ details: [{ message: reason }] });
    expect(() => read(args)).toThrow(BadDataError);
    expect(() => read(args)).toThrow(error);
  });
});

describe('a cursor', () => {
  test.each(['plain', 'with:colons', 'ünï 🌲', 'line\nbreak', ' ', '1:abcdefgh:x'])(
    'decodes to the key %j',
    (name) => {
      const cursor = cursorOf(name);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(read({ after: cursor }).page.after).toBe(name);
      expect(read({ last: 1, before: cursor }).page).toMatchObject({
        before: name,
        backward: true,
      });
    },
  );

  test('is valid only for its list and its filter', () => {
    const cursor = cursorOf('x', { a: 1 });
    expect(read({ after: cursor }, { a: 1 }).page.after).toBe('x');
    for (const filter of [{ a: 2 }, {}, { a: 1, b: 2 }, null, [{ a: 1 }]]) {
      expect(() => read({ after: cursor }, filter)).toThrow(/another list, or of another filter/);
    }
    const foreign = () => parsePage({ after: cursor }, { key: NUMBERED, filter: { a: 1 }, max: 9 });
    expect(foreign).toThrow(/another list, or of another filter/);
  });

  test.each(['', 'x', 'forged', '....', 'MTIz', Buffer.from('2:abcdefgh:x').toString('base64url')])(
    '%j is rejected',
    (cursor) => {
      expect(() => read({ after: cursor })).toThrow(/'after' is not a cursor of this API/);
      expect(() => read({ before: cursor })).toThrow(/'before' is not a cursor of this API/);
    },
  );

  test('is compared exactly, character by character', () => {
    const cursor = cursorOf('x');
    for (const changed of [`${cursor}=`, ` ${cursor}`, `${cursor}!`, cursor.slice(0, -1)]) {
      expect(() => read({ after: changed })).toThrow(/not a cursor/);
    }
  });

  test('with an invalid key for its list is rejected', () => {
    const list = (after: string | null) =>
      parsePage({ after }, { key: NUMBERED, filter: 0, max: 9 });
    const { edges } = list(null).toConnection({ rows: [{ id: 5 }], hasMore: false });
    const text = Buffer.from(edges[0]?.cursor ?? '', 'base64url').toString();
    expect(text).toMatch(/:5$/);
    const tampered = Buffer.from(text.replace(/5$/, 'five')).toString('base64url');
    expect(() => list(tampered)).toThrow(/not a cursor/);
  });
});

describe('a connection', () => {
  const rows = [{ name: 'a' }, { name: 'b' }];
  const flagsOf = (args: Parameters<typeof parsePage>[0], hasMore: boolean) => {
    const { hasNextPage, hasPreviousPage } = read(args).toConnection({ rows, hasMore }).pageInfo;
    return [hasPreviousPage, hasNextPage];
  };

  test('reports whether there are items on either side', () => {
    const cursor = cursorOf('x');
    expect(flagsOf({}, false)).toEqual([false, false]);
    expect(flagsOf({}, true)).toEqual([false, true]);
    expect(flagsOf({ after: cursor }, true)).toEqual([true, true]);
    expect(flagsOf({ last: 2 }, true)).toEqual([true, false]);
    expect(flagsOf({ last: 2, before: cursor }, false)).toEqual([false, true]);
  });

  test('has the cursors of its first and last item', () => {
    const { edges, pageInfo } = read({}).toConnection({ rows, hasMore: false });
    expect(edges.map(({ node }) => node)).toEqual(rows);
    expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([cursorOf('a'), cursorOf('b')]);
    const empty = read({}).toConnection({ rows: [], hasMore: false });
    expect(empty.pageInfo).toMatchObject({ startCursor: null, endCursor: null });
  });
});

test('a page costs as much as the items it may contain', () => {
  const multiplier = (args: Parameters<typeof pageCost>[0]) => pageCost(args).multiplier;
  expect(multiplier({})).toBe(50);
  expect(multiplier({ first: 7 })).toBe(7);
  expect(multiplier({ last: 9 })).toBe(9);
  expect(multiplier({ first: -100 })).toBe(1);
});
