import { createHash } from 'node:crypto';
import type { DocumentNode, GraphQLError, Token } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Call } from '../http/call.js';
import { OPERATION_LIMITS } from './document-limits.js';

/** Measured: a parsed document takes about 530 bytes per token, with its nodes and locations. */
const BYTES_PER_TOKEN = 600;
const BYTES_PER_CHARACTER = 2;
/** Validation compares fields with each other, so a long document takes as long as a large answer. */
const POINTS_PER_TOKEN = 10;
/** For invalid documents, whose tokens are unknown. */
const CHARACTERS_PER_TOKEN = 4;

export const DOCUMENT_CACHE_BYTES = 33_554_432;

/** Identifies a document in the cache and in the log. */
export const hashOf = (source: string): string =>
  createHash('sha256').update(source).digest('base64url');

const tokensIn = ({ loc }: DocumentNode): number => {
  let count = 0;
  for (let token: Token | null = loc?.startToken ?? null; token; token = token.next) count += 1;
  return count;
};

const sizeOf = (document: DocumentNode): number =>
  BYTES_PER_TOKEN * tokensIn(document) +
  BYTES_PER_CHARACTER * (document.loc?.source.body.length ?? 0);

export type DocumentCacheOptions = {
  /** Default: 32 MiB. */
  maxBytes?: number;
  /** Called for every evicted document. */
  onEvict?: () => void;
};

/**
 * Caches valid documents by their hash. Rejected documents are not cached: they would let any client fill the memory
 * with texts of its own.
 */
export const createDocumentCache = ({
  maxBytes = DOCUMENT_CACHE_BYTES,
  onEvict = () => undefined,
}: DocumentCacheOptions = {}) => {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: maxBytes,
    sizeCalculation: sizeOf,
    dispose: (_document, _hash, reason) => {
      if (reason === 'evict') onEvict();
    },
  });
  const hashes = new WeakMap<DocumentNode, string>();
  const results = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  /** The document of a subscription is processed twice: to find its type, and by Yoga. */
  const parsedFor = new WeakMap<Call, { hash: string; document: DocumentNode }>();

  const find = (hash: string, call: Call | undefined): DocumentNode | undefined => {
    const parsed = call && parsedFor.get(call);
    return documents.get(hash) ?? (parsed?.hash === hash ? parsed.document : undefined);
  };

  const plugin: Plugin = {
    onParse: ({ params, context, setParsedDocument }) => {
      const source = String(params.source);
      if (source.length > OPERATION_LIMITS.characters) return;
      const hash = hashOf(source);
      const { call } = context as { call?: Call };
      if (call) call.facts.documentHash = hash;
      const known = find(hash, call);
      if (known) {
        setParsedDocument(known);
        return;
      }
      return ({ result }) => {
        if (!result || result instanceof Error) {
          call?.charge(Math.ceil(source.length / CHARACTERS_PER_TOKEN) * POINTS_PER_TOKEN);
          return;
        }
        call?.charge(tokensIn(result) * POINTS_PER_TOKEN);
        if (call) parsedFor.set(call, { hash, document: result });
        hashes.set(result, hash);
      };
    },
    onValidate: ({ params: { documentAST }, setResult }) => {
      const known = results.get(documentAST);
      if (known) {
        setResult(known);
        return;
      }
      return ({ result }) => {
        results.set(documentAST, result as readonly GraphQLError[]);
        const hash = hashes.get(documentAST);
        if (result.length === 0 && hash !== undefined) documents.set(hash, documentAST);
      };
    },
  };

  return {
    plugin,
    bytes: () => documents.calculatedSize,
  };
};

export type DocumentCache = ReturnType<typeof createDocumentCache>;
