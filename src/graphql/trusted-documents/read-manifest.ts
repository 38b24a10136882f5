import { isObject, type JsonObject } from '../../domain/json.js';

/** A document as a file brings it, before anybody has looked whether it is any good. */
export type Brought = {
  file: string;
  /** What the file calls it; undefined where it goes by its text alone. */
  id?: string;
  text: string;
};

type Read = { brought: Brought[]; problems: string[] };

const APOLLO = 'apollo-persisted-query-manifest';

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Apollo's: a list of operations, each with its id and its text. */
const readOperations = (file: string, { version, operations }: JsonObject): Read => {
  if (version !== 1 || !Array.isArray(operations)) {
    return { brought: [], problems: [`${file} is not version 1 of Apollo's manifest`] };
  }
  const read: Read = { brought: [], problems: [] };
  for (const [index, operation] of operations.entries()) {
    const { id, body } = isObject(operation) ? operation : {};
    if (typeof id === 'string' && typeof body === 'string') {
      read.brought.push({ file, id, text: body });
    } else {
      read.problems.push(`${file}: operation ${index + 1} needs an id and a body, both texts`);
    }
  }
  return read;
};

/** Relay's and that of GraphQL Code Generator: texts under their hashes. */
const readTexts = (file: string, texts: JsonObject): Read => {
  const read: Read = { brought: [], problems: [] };
  for (const [id, text] of Object.entries(texts)) {
    if (typeof text === 'string') read.brought.push({ file, id, text });
    else read.problems.push(`${file}: what is under '${id}' is no text`);
  }
  return read;
};

/** Reads what the tools of the usual clients write about the operations they found. */
export const readManifest = (file: string, json: string): Read => {
  const manifest = parse(json);
  if (!isObject(manifest)) {
    const expected = 'hashes with texts, or the list that Apollo writes';
    return {
      brought: [],
      problems: [`${file} is no manifest of documents: a JSON object of ${expected}`],
    };
  }
  return manifest['format'] === APOLLO ? readOperations(file, manifest) : readTexts(file, manifest);
};
