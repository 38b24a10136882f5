import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { FORMAT_NAMES } from '../../export/formats.js';
import { CommandError } from '../command-error.js';

const ResumeState = z.strictObject({
  version: z.literal(2),
  format: z.enum(FORMAT_NAMES),
  filter: z.record(z.string(), z.unknown()),
  /** The filter before names and relative timestamps were resolved. Absent in older files. */
  given: z.record(z.string(), z.unknown()).optional(),
  upTo: z.int().nonnegative(),
  after: z.int().nonnegative().nullable(),
  /** Length of the output up to this position. */
  bytes: z.int().nonnegative(),
  count: z.int().nonnegative(),
});

/** The state saved beside an unfinished export. */
export type ResumeState = z.infer<typeof ResumeState>;

export const resumePath = (output: string): string => `${output}.resume`;

/** Null if there is nothing to resume. */
export const readResumeState = async (output: string): Promise<ResumeState | null> => {
  const path = resumePath(output);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new CommandError(`${path} cannot be read: ${error.message}.`);
  });
  if (text === null) return null;
  try {
    return ResumeState.parse(JSON.parse(text));
  } catch {
    throw new CommandError(
      `${path} was not written by this version of the command. Start over with --force.`,
    );
  }
};

/** Replaces the file atomically: it always contains either the old position or the new one. */
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

/** Compares two filters, ignoring key order. */
export const isSameFilter = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
};
