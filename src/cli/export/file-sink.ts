import type { Stats } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import type { EventFilter } from '../events/filter-options.js';
import { CommandRefusedError } from '../on-database.js';
import type { FormatName } from './formats.js';
import type { Place } from './place.js';
import {
  isSameFilter,
  type ResumeState,
  readResumeState,
  removeResumeState,
  resumePath,
  writeResumeState,
} from './resume-file.js';
import { type Sink, toOutputError, writeAll } from './sink.js';
import { openDeviceSink } from './stream-sink.js';

export type FileSinkOptions = {
  format: FormatName;
  filter: EventFilter;
  /** Whether to write over what is there, or to go on behind it. */
  mode: 'new' | 'force' | 'resume';
};

/** Against a failure of power; that of a process loses nothing that was written. */
const SYNC_EVERY_MS = 1_000;

const refuse = (message: string): never => {
  throw new CommandRefusedError(message);
};

const find = (path: string): Promise<Stats | null> =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw toOutputError(path, error);
  });

/** Where an unfinished export stands; null where there is none, so that a script may always ask to resume. */
const findUnfinished = async (
  path: string,
  found: Stats | null,
  { format, filter }: FileSinkOptions,
): Promise<ResumeState | null> => {
  const state = await readResumeState(path);
  if (!state) {
    // A process that was killed in its first moment leaves an empty file.
    if (!found || found.size === 0) return null;
    return refuse(
      `There is nothing to resume: ${path} is complete, or was not written by this command.`,
    );
  }
  if ((found?.size ?? 0) < state.bytes) {
    return refuse(`${path} is shorter than ${resumePath(path)} says. Begin anew with --force.`);
  }
  if (state.format !== format) {
    return refuse(`${path} was begun as ${state.format}. Go on with --format ${state.format}.`);
  }
  if (!isSameFilter(state.filter, filter)) {
    return refuse(
      `${path} was begun with another filter: ${JSON.stringify(state.filter)}. Give the same, or begin anew with --force.`,
    );
  }
  return state;
};

const assertFree = async (path: string, found: Stats | null): Promise<void> => {
  if (!found) return;
  const isUnfinished = (await readResumeState(path)) !== null;
  refuse(
    isUnfinished
      ? `${path} is an unfinished export. Go on with --resume, or begin anew with --force.`
      : `${path} is there already. Choose another name, or write over it with --force.`,
  );
};

/** A file with a note beside it that tells, after each page, how far it is whole; nothing is touched before the first write. */
export const openFileSink = async (
  path: string,
  options: FileSinkOptions,
): Promise<{ sink: Sink; place: Place | null }> => {
  const { format, filter, mode } = options;
  const found = await find(path);
  if (found?.isDirectory()) refuse(`${path} is a folder.`);
  if (found && !found.isFile()) {
    if (mode === 'resume') refuse(`${path} is no file: nothing can be resumed there.`);
    return { sink: await openDeviceSink(path), place: null };
  }

  if (mode === 'new') await assertFree(path, found);
  const unfinished = mode === 'resume' ? await findUnfinished(path, found, options) : null;
  // Where nothing was written yet, not even a header, there is nothing to go on behind.
  const state = unfinished?.bytes === 0 ? null : unfinished;
  let handle: FileHandle | null = null;
  let bytes = state?.bytes ?? 0;
  let isBegun = state !== null;
  let syncedAt = performance.now();

  const openOutput = async (): Promise<FileHandle> => {
    // What is resumed may have been killed before there was a file.
    const flags = { new: 'wx', force: 'w', resume: found ? 'r+' : 'wx' }[mode];
    handle = await open(path, flags);
    if (mode === 'resume') await handle.truncate(bytes);
    return handle;
  };
  /** Says before the first line that there is nothing yet, so that no line is ever there without a note. */
  const begin = async (place: Place): Promise<FileHandle> => {
    const note = () =>
      writeResumeState(path, {
        version: 1,
        format,
        filter,
        bytes,
        ...place,
        cursor: null,
        count: 0,
      });
    if (state) return openOutput();
    // What is written over counts for nothing from here on; a name that was free may not be free any more.
    if (mode === 'force') await note();
    const output = await openOutput();
    if (mode !== 'force') await note();
    return output;
  };
  const sync = async (output: FileHandle) => {
    await output.datasync();
    syncedAt = performance.now();
  };
  const close = async () => {
    await handle?.close();
    handle = null;
  };
  /** Back to the last whole line; should that fail too, resuming does it. */
  const takeBack = async () => {
    await handle?.truncate(bytes).catch(() => undefined);
    if (isBegun) return;
    if (handle) await rm(path).catch(() => undefined);
    if (handle || mode === 'force') await removeResumeState(path).catch(() => undefined);
  };

  const sink: Sink = {
    write: async (text, place) => {
      const added = Buffer.from(text);
      try {
        const output = handle ?? (await begin(place));
        await writeAll(output.fd, added, bytes);
        if (performance.now() - syncedAt > SYNC_EVERY_MS) await sync(output);
        const length = bytes + added.length;
        await writeResumeState(path, { version: 1, format, filter, bytes: length, ...place });
        bytes = length;
        isBegun = true;
      } catch (error) {
        await takeBack();
        throw toOutputError(path, error);
      }
    },
    finish: async () => {
      try {
        // Also where nothing was left to write: behind the noted length there may be part of a page.
        await sync(handle ?? (await openOutput()));
        await close();
        await removeResumeState(path);
      } catch (error) {
        throw toOutputError(path, error);
      }
    },
    close,
    howToResume: () => 'The same command goes on there with --resume',
  };
  return { sink, place: state && { upTo: state.upTo, cursor: state.cursor, count: state.count } };
};
