import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  print,
  separateOperations,
  specifiedRules,
  validate,
} from 'graphql';
import { ConfigError } from '../../config/config.js';
import { certainRootRule } from '../subscribe.js';
import { operationRules, parseWithin } from '../use-operation-limits.js';
import { readFolder } from './read-folder.js';
import type { Brought } from './read-manifest.js';

export type TrustedDocument = {
  text: string;
  /** The names of its operations. */
  names: readonly string[];
};

export type TrustedDocuments = {
  /** Whether nothing else may run. */
  only: boolean;
  /** The document that goes by this hash, id or name of an operation. */
  find(id: string): TrustedDocument | undefined;
};

/** A SHA-256 may be written with the name of its kind in front. */
export const bareId = (id: string): string => id.replace(/^sha256:(?=[\da-f]{64}$)/, '');

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The kinds of hash that the clients' tools write, told apart by their length. */
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
  throw new Error(
    `the id is not the ${algorithm} of its text; let your tool write the manifest again`,
  );
};

/** What is wrong with a document, and in which line. */
const wordsOf = (error: unknown): string => {
  const { message, locations } = error as GraphQLError;
  return locations?.[0] ? `${message} (line ${locations[0].line})` : message;
};

const assertValid = (schema: GraphQLSchema, document: DocumentNode): void => {
  const rules = [...specifiedRules, ...operationRules, certainRootRule];
  const errors = validate(schema, document, rules);
  if (errors.length > 0) throw new Error(errors.map(wordsOf).join(' '));
};

const namesOf = ({ definitions }: DocumentNode): string[] =>
  definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION && node.name ? [node.name.value] : [],
  );

/** What a tool has written may come in several versions; a file of its own is there once. */
type Known = TrustedDocument & { file: string; printed: string; isWrittenByTool: boolean };
type Key = { kind: 'id' | 'name'; key: string };

const keysOf = (ids: readonly string[], names: readonly string[]): Key[] => [
  ...ids.map((key): Key => ({ kind: 'id', key })),
  ...names.map((key): Key => ({ kind: 'name', key })),
];

/** A document under all that it may be asked for by; one of several operations also brings each of them alone. */
const knownBy = ({ file, id, text }: Brought, document: DocumentNode): [Known, Key[]][] => {
  const isWrittenByTool = id !== undefined;
  const printed = print(document);
  const names = namesOf(document);
  const known: Known = { file, text, printed, names, isWrittenByTool };
  const hashes = [sha256(text), sha256(printed), ...(id === undefined ? [] : [bareId(id)])];
  if (names.length < 2) return [[known, keysOf(hashes, names)]];

  const parts = Object.values(separateOperations(document)).map((part): [Known, Key[]] => {
    const alone = print(part);
    const names = namesOf(part);
    return [
      { file, text: alone, printed: alone, names, isWrittenByTool },
      keysOf([sha256(alone)], names),
    ];
  });
  return [[known, keysOf(hashes, [])], ...parts];
};

/** Reads the documents that may be asked for without their text; refuses all of them if one is wrong. */
export const loadTrustedDocuments = (
  schema: GraphQLSchema,
  { folder, only }: { folder: string; only: boolean },
): TrustedDocuments => {
  const { brought, problems } = readFolder(folder);
  const known = new Map<string, Known>();
  const distinct = new Map<string, Known>();
  const ambiguous = new Set<string>();

  const add = ({ kind, key }: Key, document: Known) => {
    const other = known.get(key);
    if (!distinct.has(document.printed)) distinct.set(document.printed, document);
    if (!other) known.set(key, distinct.get(document.printed) ?? document);
    else if (other.printed !== document.printed) {
      // A new version of a client has operations of the same names; its hashes tell them apart.
      const isVersion = other.isWrittenByTool || document.isWrittenByTool;
      if (kind === 'name' && isVersion) ambiguous.add(key);
      else {
        const where =
          other.file === document.file
            ? `in ${other.file}`
            : `in ${other.file} and ${document.file}`;
        problems.push(`'${key}' stands for two different documents, ${where}`);
      }
    }
  };
  for (const source of brought) {
    const { file, id, text } = source;
    try {
      if (id !== undefined) assertHash(id, text);
      const document = parseWithin(text);
      assertValid(schema, document);
      for (const [each, keys] of knownBy(source, document)) {
        for (const key of keys) add(key, each);
      }
    } catch (error) {
      const what = id === undefined ? file : `${file}: '${id}'`;
      problems.push(`${what}: ${wordsOf(error)}`);
    }
  }
  if (problems.length > 0) {
    throw new ConfigError(problems.map((problem) => `TRUSTED_DOCUMENTS ${problem}`));
  }
  for (const name of ambiguous) known.delete(name);
  return { only, find: (id) => known.get(bareId(id)) };
};
