import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { CommandRefusedError } from '../on-database.js';
import { FORMAT_NAMES } from './formats.js';

const ResumeState = z.strictObject({
  version: z.literal(1),
  format: z.enum(FORMAT_NAMES),
  filter: z.record(z.string(), z.unknown()),
  upTo: z.int().nonnegative(),
  cursor: z.string().nullable(),
  /** Length of the output up to there. */
  bytes: z.int().nonnegative(),
  count: z.int().nonnegative(),
});

/** What is known beside an unfinished export. */
export type ResumeState = z.infer<typeof ResumeState>;

export const resumePath = (output: string): string => `${output}.resume`;

/** Null where nothing is left to resume. */
export const readResumeState = async (output: string): Promise<ResumeState | null> => {
  const path = resumePath(output);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new CommandRefusedError(`${path} cannot be read: ${error.message}.`);
  });
  if (text === null) return null;
  try {
    return ResumeState.parse(JSON.parse(text));
  } catch {
    throw new CommandRefusedError(
      `${path} was not written by this version of the command. Begin anew with --force.`,
    );
  }
};

/** Replaces the file at one stroke: at any moment it tells the old place or the new one. */
export const writeResumeState = async (output: string, state: ResumeState): Promise<void> => {
  const path = resumePath(output);
  const unfinished = `${path}.new`;
  try {
    await writeFile(unfinished, JSON.stringify(state));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
};

export const removeResumeState = (output: string): Promise<void> =>
  rm(resumePath(output), { force: true });

/** Key order aside, whether two filters are the same. */
export const isSameFilter = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
};
