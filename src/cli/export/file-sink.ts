import type { Stats } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import type { EventFilter } from '../../export/filter-options.js';
import { FORMATS, type FormatName } from '../../export/formats.js';
import { CommandError } from '../command-error.js';
import type { ExportPosition } from './export-position.js';
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
  /** The filter of the command line. The same command can resume the export, even if its names now resolve differently. */
  given: EventFilter;
  /** Whether to overwrite an existing file or to append to it. */
  mode: 'new' | 'force' | 'resume';
};

/** Protects against power loss. A crash of the process loses nothing that was written. */
const SYNC_EVERY_MS = 1_000;

const reject = (message: string): never => {
  throw new CommandError(message);
};

const find = (path: string): Promise<Stats | null> =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw toOutputError(path, error);
  });

/** The state of an unfinished export. Null if there is none, so that scripts can always pass --resume. */
const findUnfinished = async (
  path: string,
  found: Stats | null,
  { format, given }: FileSinkOptions,
): Promise<ResumeState | null> => {
  const state = await readResumeState(path);
  if (!state) {
    // A process killed right after its start leaves an empty file.
    if (!found || found.size === 0) return null;
    return reject(`Nothing to resume: ${path} is complete, or was not written by this command.`);
  }
  if ((found?.size ?? 0) < state.bytes) {
    return reject(
      `${path} is shorter than recorded in ${resumePath(path)}. Start over with --force.`,
    );
  }
  if (state.format !== format) {
    return reject(`${path} was started as ${state.format}. Resume with --format ${state.format}.`);
  }
  if (!isSameFilter(state.given ?? state.filter, given)) {
    return reject(
      `${path} was started with another filter: ${JSON.stringify(state.given ?? state.filter)}. Pass the same one, or start over with --force.`,
    );
  }
  return state;
};

/** Rows after a different header would be in the wrong columns. */
const assertHeader = async (path: string, { bytes }: ResumeState, format: FormatName) => {
  const header = Buffer.from(FORMATS[format].header);
  if (bytes === 0 || header.length === 0) return;
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw toOutputError(path, error);
  });
  const start = Buffer.alloc(header.length);
  await file.read(start, 0, header.length, 0).finally(() => file.close());
  if (start.equals(header)) return;
  reject(`${path} was started by a version that writes other columns. Start over with --force.`);
};

const assertFree = async (path: string, found: Stats | null): Promise<void> => {
  if (!found) return;
  const isUnfinished = (await readResumeState(path)) !== null;
  reject(
    isUnfinished
      ? `${path} is an unfinished export. Resume it with --resume, or start over with --force.`
      : `${path} already exists. Choose another name, or overwrite it with --force.`,
  );
};

/** An output that was validated, but not changed yet. */
export type PreparedOutput = {
  /** Where the unfinished export stopped, and its filter. Null starts from the beginning. */
  resumed: { position: ExportPosition; filter: EventFilter } | null;
  open: (filter: EventFilter) => Sink;
};

/** Validates the options against what the path contains. Changes nothing. */
export const prepareFile = async (
  path: string,
  options: FileSinkOptions,
): Promise<PreparedOutput> => {
  const { format, mode } = options;
  const found = await find(path);
  if (found?.isDirectory()) reject(`${path} is a folder.`);
  if (found && !found.isFile()) {
    if (mode === 'resume') reject(`${path} is not a regular file, so --resume is not possible.`);
    const sink = await openDeviceSink(path);
    return { resumed: null, open: () => sink };
  }

  if (mode === 'new') await assertFree(path, found);
  const unfinished = mode === 'resume' ? await findUnfinished(path, found, options) : null;
  if (unfinished) await assertHeader(path, unfinished, format);
  // Without any output yet, not even a header, there is nothing to resume.
  const state = unfinished?.bytes === 0 ? null : unfinished;
  return {
    resumed: state && {
      position: { upTo: state.upTo, after: state.after, count: state.count },
      filter: state.filter,
    },
    open: (filter) => createFileSink(path, { ...options, filter, exists: found !== null, state }),
  };
};

type OpenFile = FileSinkOptions & {
  filter: EventFilter;
  exists: boolean;
  state: ResumeState | null;
};

/**
 * A file with a resume file beside it that records, after each page, how much of it is complete. Changes nothing before
 * the first write.
 */
const createFileSink = (
  path: string,
  { format, filter, given, mode, exists, state }: OpenFile,
): Sink => {
  let handle: FileHandle | null = null;
  let bytes = state?.bytes ?? 0;
  let hasStarted = state !== null;
  let syncedAt = performance.now();

  const save = (length: number, position: ExportPosition) =>
    writeResumeState(path, { version: 2, format, filter, given, bytes: length, ...position });

  const openOutput = async (): Promise<FileHandle> => {
    // The export to resume may have been killed before the file existed.
    const flags = { new: 'wx', force: 'w', resume: exists ? 'r+' : 'wx' }[mode];
    handle = await open(path, flags);
    if (mode === 'resume') await handle.truncate(bytes);
    return handle;
  };
  /** Records the empty state before the first line, so that there are never lines without a resume file. */
  const begin = async (position: ExportPosition): Promise<FileHandle> => {
    const saveStart = () => save(bytes, { ...position, after: null, count: 0 });
    if (state) return openOutput();
    // With --force the old content is void from here on; otherwise the name may have been taken meanwhile.
    if (mode === 'force') await saveStart();
    const output = await openOutput();
    if (mode !== 'force') await saveStart();
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
  /** Truncates to the last complete line. If that fails too, resuming does it. */
  const rollBack = async () => {
    await handle?.truncate(bytes).catch(() => undefined);
    if (hasStarted) return;
    if (handle) await rm(path).catch(() => undefined);
    if (handle || mode === 'force') await removeResumeState(path).catch(() => undefined);
  };

  return {
    write: async (text, position) => {
      const added = Buffer.from(text);
      try {
        const output = handle ?? (await begin(position));
        await writeAll(output.fd, added, bytes);
        if (performance.now() - syncedAt > SYNC_EVERY_MS) await sync(output);
        const length = bytes + added.length;
        await save(length, position);
        bytes = length;
        hasStarted = true;
      } catch (error) {
        await rollBack();
        throw toOutputError(path, error);
      }
    },
    finish: async () => {
      try {
        // Even if nothing was left to write: beyond the recorded length there may be part of a page.
        await sync(handle ?? (await openOutput()));
        await close();
        await removeResumeState(path);
      } catch (error) {
        throw toOutputError(path, error);
      }
    },
    close,
    resumeHint: () => 'To resume, repeat the command with --resume.',
  };
};
