import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  print,
  separateOperations,
  specifiedRules,
} from 'graphql';
import { ConfigError } from '../../config/config.js';
import { operationRules, parseWithin, validateWithin } from '../document-limits.js';
import { noConditionalRootRule } from '../subscribe.js';
import { readFolder } from './read-folder.js';
import type { ManifestEntry } from './read-manifest.js';

export type TrustedDocument = {
  text: string;
  /** Names of its operations. */
  names: readonly string[];
};

export type TrustedDocuments = {
  /** Whether all other documents are rejected. */
  only: boolean;
  /** Whether the deployment has documents of its own, besides those of the console. */
  hasFolder: boolean;
  /** Finds a document by hash, ID or operation name. */
  find(id: string): TrustedDocument | undefined;
};

/** A SHA-256 may have its algorithm as a prefix. */
export const bareId = (id: string): string => id.replace(/^sha256:(?=[\da-f]{64}$)/, '');

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Hash algorithms of client tools, identified by length. */
const ALGORITHMS: ReadonlyMap<number, string> = new Map([
  [32, 'md5'],
  [40, 'sha1'],
  [64, 'sha256'],
]);

const assertHash = (id: string, text: string): void => {
  const hash = bareId(id);
  const algorithm = /^[\da-f]+$/i.test(hash) ? ALGORITHMS.get(hash.length) : undefined;
  if (!algorithm) return;
  if (createHash(algorithm).update(text).digest('hex') === hash) return;
  throw new Error(`the id is not the ${algorithm} hash of its text; regenerate the manifest`);
};

/** The error message with its line. */
const messageOf = (error: unknown): string => {
  const { message, locations } = error as GraphQLError;
  return locations?.[0] ? `${message} (line ${locations[0].line})` : message;
};

const assertValid = (schema: GraphQLSchema, document: DocumentNode): void => {
  const rules = [...specifiedRules, ...operationRules, noConditionalRootRule];
  const errors = validateWithin(schema, document, rules);
  if (errors.length > 0) throw new Error(errors.map(messageOf).join(' '));
};

const namesOf = ({ definitions }: DocumentNode): string[] =>
  definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION && node.name ? [node.name.value] : [],
  );

/** A tool's manifests may contain several versions of a document; a standalone file exists once. */
type IndexedDocument = TrustedDocument & {
  file: string;
  printed: string;
  isWrittenByTool: boolean;
};
type Key = { kind: 'id' | 'name'; key: string };

const keysOf = (ids: readonly string[], names: readonly string[]): Key[] => [
  ...ids.map((key): Key => ({ kind: 'id', key })),
  ...names.map((key): Key => ({ kind: 'name', key })),
];

/** A document under all its keys; one with several operations also provides each of them alone. */
const indexDocument = (
  { file, id, text }: ManifestEntry,
  document: DocumentNode,
): [IndexedDocument, Key[]][] => {
  const isWrittenByTool = id !== undefined;
  const printed = print(document);
  const names = namesOf(document);
  const indexed: IndexedDocument = { file, text, printed, names, isWrittenByTool };
  const hashes = [sha256(text), sha256(printed), ...(id === undefined ? [] : [bareId(id)])];
  if (names.length < 2) return [[indexed, keysOf(hashes, names)]];

  const parts = Object.values(separateOperations(document)).map(
    (part): [IndexedDocument, Key[]] => {
      const alone = print(part);
      const names = namesOf(part);
      return [
        { file, text: alone, printed: alone, names, isWrittenByTool },
        keysOf([sha256(alone)], names),
      ];
    },
  );
  return [[indexed, keysOf(hashes, [])], ...parts];
};

/** Loads the documents that can be requested without their text; rejects all of them if one is invalid. */
export const loadTrustedDocuments = (
  schema: GraphQLSchema,
  { folder, only }: { folder: string; only: boolean },
): TrustedDocuments => {
  const { documents, problems } = readFolder(folder);
  const indexed = new Map<string, IndexedDocument>();
  const distinct = new Map<string, IndexedDocument>();
  const ambiguous = new Set<string>();

  const add = ({ kind, key }: Key, document: IndexedDocument) => {
    const other = indexed.get(key);
    if (!distinct.has(document.printed)) distinct.set(document.printed, document);
    if (!other) indexed.set(key, distinct.get(document.printed) ?? document);
    else if (other.printed !== document.printed) {
      // A new version of a client has operations with the same names; hashes distinguish them.
      const isVersion = other.isWrittenByTool || document.isWrittenByTool;
      if (kind === 'name' && isVersion) ambiguous.add(key);
      else {
        const where =
          other.file === document.file
            ? `in ${other.file}`
            : `in ${other.file} and ${document.file}`;
        problems.push(`'${key}' identifies two different documents, ${where}`);
      }
    }
  };
  for (const source of documents) {
    const { file, id, text } = source;
    try {
      if (id !== undefined) assertHash(id, text);
      const document = parseWithin(text);
      assertValid(schema, document);
      for (const [each, keys] of indexDocument(source, document)) {
        for (const key of keys) add(key, each);
      }
    } catch (error) {
      const what = id === undefined ? file : `${file}: '${id}'`;
      problems.push(`${what}: ${messageOf(error)}`);
    }
  }
  if (problems.length > 0) {
    throw new ConfigError(problems.map((problem) => `TRUSTED_DOCUMENTS ${problem}`));
  }
  for (const name of ambiguous) indexed.delete(name);
  return { only, hasFolder: true, find: (id) => indexed.get(bareId(id)) };
};
