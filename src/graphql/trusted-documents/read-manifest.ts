import { isObject, type JsonObject } from '../../domain/json.js';

/** A document as read from a file, not validated yet. */
export type ManifestEntry = {
  file: string;
  /** The ID in the file; undefined if only the text identifies it. */
  id?: string;
  text: string;
};

type Read = { documents: ManifestEntry[]; problems: string[] };

const APOLLO = 'apollo-persisted-query-manifest';

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Apollo's manifest: a list of operations, each with its ID and its text. */
const readOperations = (file: string, { version, operations }: JsonObject): Read => {
  if (version !== 1 || !Array.isArray(operations)) {
    return { documents: [], problems: [`${file} is not version 1 of Apollo's manifest`] };
  }
  const read: Read = { documents: [], problems: [] };
  for (const [index, operation] of operations.entries()) {
    const { id, body } = isObject(operation) ? operation : {};
    if (typeof id === 'string' && typeof body === 'string') {
      read.documents.push({ file, id, text: body });
    } else {
      read.problems.push(`${file}: operation ${index + 1} needs an id and a body, both strings`);
    }
  }
  return read;
};

/** The manifest of Relay and GraphQL Code Generator: texts by hash. */
const readTexts = (file: string, texts: JsonObject): Read => {
  const read: Read = { documents: [], problems: [] };
  for (const [id, text] of Object.entries(texts)) {
    if (typeof text === 'string') read.documents.push({ file, id, text });
    else read.problems.push(`${file}: the document '${id}' is not a string`);
  }
  return read;
};

/** Reads the manifests that the tools of common clients write. */
export const readManifest = (file: string, json: string): Read => {
  const manifest = parse(json);
  if (!isObject(manifest)) {
    const expected = "maps hashes to documents, or Apollo's manifest";
    return {
      documents: [],
      problems: [`${file} is not a manifest: expected a JSON object that ${expected}`],
    };
  }
  return manifest['format'] === APOLLO ? readOperations(file, manifest) : readTexts(file, manifest);
};
