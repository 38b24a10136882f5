// Writes src/generated/: typed documents, and the hashes under which the gateway knows them.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { formatDocument } from '@urql/core';
import { concatAST, print, separateOperations } from 'graphql';
import { addIds } from '../../client/dist/add-ids.js';
import { readDocuments, writeDocuments } from '../../client/scripts/write-documents.mjs';

const GENERATED = new URL('../src/generated/', import.meta.url);

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

const read = (folder) =>
  readDocuments(new URL(folder, import.meta.url)).map(({ location, document }) => ({
    location,
    document: addIds(document),
  }));

// Each document is one operation. Fragments that several of them use have a folder of their own.
const documents = [...read('../documents/'), ...read('../fragments/')];
const operations = separateOperations(concatAST(documents.map(({ document }) => document)));

/** The text that is sent: the cache also requests `__typename`, but streams do not pass it. */
const sent = Object.entries(operations).map(([name, document]) => {
  const isStream = document.definitions[0].operation === 'subscription';
  const text = print(isStream ? document : formatDocument(document));
  return { name, text, hash: sha256(text) };
});

const write = (name, text) => writeFileSync(new URL(name, GENERATED), `${text}\n`);
const json = (entries) => JSON.stringify(Object.fromEntries(entries), undefined, 2);

mkdirSync(GENERATED, { recursive: true });
await writeDocuments(documents, new URL('documents.ts', GENERATED));
write(
  'hashes.ts',
  `export const hashes: Readonly<Record<string, string>> = ${json(sent.map(({ name, hash }) => [name, hash]))};`,
);
write('documents.json', json(sent.map(({ hash, text }) => [hash, text])));
