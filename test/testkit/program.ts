import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installFromDebian, isRootOnDebian } from './debian.js';

const run = promisify(execFile);
const RUN_LIMIT_MS = 240_000;

/** A program that the documents use: how it says that it is there, and the package of Debian that brings it. */
export type Program = { command: string; version: readonly string[]; debian: string };

const isThere = ({ command, version }: Program): Promise<boolean> =>
  run(command, [...version]).then(
    () => true,
    () => false,
  );

/** Makes sure that a program is there; where it is not, it is installed first. */
export const needProgram = async (program: Program): Promise<void> => {
  if (await isThere(program)) return;
  if (isRootOnDebian()) await installFromDebian(program.debian);
  if (await isThere(program)) return;
  throw new Error(
    `The tests need '${program.command}'. Install it (on Debian: apt-get install ${program.debian}).`,
  );
};

/** What a program prints; one that fails fails the test with what it said. */
export const printedBy = async (
  command: string,
  args: readonly string[],
  folder: string,
): Promise<string> => {
  const { stdout } = await run(command, [...args], { cwd: folder, timeout: RUN_LIMIT_MS });
  return stdout;
};
