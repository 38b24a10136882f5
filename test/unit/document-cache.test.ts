import { type DocumentNode, GraphQLError, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createDocumentCache } from '../../src/graphql/use-document-cache.js';

type Hooks = {
  onParse: (payload: object) => ((done: { result: unknown }) => void) | undefined;
  onValidate: (payload: object) => ((done: { result: unknown[] }) => void) | undefined;
};

/** Processes a document like a request; returns whether it was cached. */
const isCached = (
  { plugin }: ReturnType<typeof createDocumentCache>,
  source: string,
  errors: unknown[] = [],
) => {
  const { onParse, onValidate } = plugin as unknown as Hooks;
  let document: DocumentNode | undefined;
  const setParsedDocument = (known: DocumentNode) => {
    document = known;
  };
  const parsed = onParse({ params: { source }, context: {}, setParsedDocument });
  const isKnown = document !== undefined;
  const documentAST = document ?? parse(source);
  parsed?.({ result: documentAST });
  let isValid = false;
  const setResult = () => {
    isValid = true;
  };
  onValidate({ params: { documentAST }, setResult })?.({ result: errors });
  expect(isValid).toBe(isKnown);
  return isKnown;
};

const LONG = 'name '.repeat(500);

test('a valid document is parsed and validated once', () => {
  const cache = createDocumentCache();
  expect(isCached(cache, '{ viewer { name } }')).toBe(false);
  expect(isCached(cache, '{ viewer { name } }')).toBe(true);
  expect(isCached(cache, '{ viewer { kind } }')).toBe(false);
});

test('a rejected document is not cached', () => {
  const cache = createDocumentCache();
  for (let index = 0; index < 3; index++) {
    expect(isCached(cache, '{ nothing }', [new GraphQLError('no such field')])).toBe(false);
  }
  expect(cache.bytes()).toBe(0);
});

test('the cache is filled up to its limit in bytes', () => {
  let evicted = 0;
  const maxBytes = 5_000_000;
  const cache = createDocumentCache({
    maxBytes,
    onEvict: () => {
      evicted += 1;
    },
  });
  for (let index = 0; index < 200; index++) {
    isCached(cache, `query Q${index} { viewer { ${LONG} } }`);
    expect(cache.bytes()).toBeLessThanOrEqual(maxBytes);
  }
  expect(evicted).toBeGreaterThan(150);
  expect(isCached(cache, `query Q199 { viewer { ${LONG} } }`)).toBe(true);
});
