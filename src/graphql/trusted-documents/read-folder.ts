import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type ManifestEntry, readManifest } from './read-manifest.js';

const OPERATIONS = /\.(graphql|gql)$/i;
const MANIFEST = /\.json$/i;

/** All files below a folder that may contain documents, sorted; hidden files are ignored. */
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => OPERATIONS.test(file) || MANIFEST.test(file))
    .filter((file) => !file.split(sep).some((part) => part.startsWith('.')))
    .toSorted();

const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

const readFile = (folder: string, file: string) => {
  try {
    const text = readFileSync(join(folder, file), 'utf8');
    if (MANIFEST.test(file)) return readManifest(file, text);
    return { documents: [{ file, text }], problems: [] };
  } catch (error) {
    return { documents: [], problems: [`${file} cannot be read (${reasonOf(error)})`] };
  }
};

/** All documents in the files of a folder, and the problems of files without any. */
export const readFolder = (folder: string): { documents: ManifestEntry[]; problems: string[] } => {
  let files: string[];
  try {
    files = listFiles(folder);
  } catch (error) {
    return { documents: [], problems: [`must be a folder that can be read (${reasonOf(error)})`] };
  }
  if (files.length === 0) {
    return {
      documents: [],
      problems: ['must be a folder with *.graphql files or *.json manifests'],
    };
  }
  const read = files.map((file) => readFile(folder, file));
  return {
    documents: read.flatMap(({ documents }) => documents),
    problems: read.flatMap(({ problems }) => problems),
  };
};
