import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Brought, readManifest } from './read-manifest.js';

const OPERATIONS = /\.(graphql|gql)$/i;
const MANIFEST = /\.json$/i;

/** All files below a folder that may hold documents, in a certain order; hidden ones are nobody's. */
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
    return { brought: [{ file, text }], problems: [] };
  } catch (error) {
    return { brought: [], problems: [`${file} cannot be read (${reasonOf(error)})`] };
  }
};

/** Every document that the files of a folder bring, and what is wrong with those that bring none. */
export const readFolder = (folder: string): { brought: Brought[]; problems: string[] } => {
  let files: string[];
  try {
    files = listFiles(folder);
  } catch (error) {
    return { brought: [], problems: [`must be a folder that can be read (${reasonOf(error)})`] };
  }
  if (files.length === 0) {
    return { brought: [], problems: ['must be a folder with *.graphql files or *.json manifests'] };
  }
  const read = files.map((file) => readFile(folder, file));
  return {
    brought: read.flatMap(({ brought }) => brought),
    problems: read.flatMap(({ problems }) => problems),
  };
};
