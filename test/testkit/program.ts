import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const RUN_LIMIT_MS = 240_000;

/** A program that tests start, and the arguments that print its version. */
export type Program = { command: string; version: readonly string[] };

const isInstalled = ({ command, version }: Program): Promise<boolean> =>
  run(command, [...version]).then(
    () => true,
    () => false,
  );

/** Fails if a program is not installed. */
export const requireProgram = async (program: Program): Promise<void> => {
  if (await isInstalled(program)) return;
  throw new Error(`'${program.command}' is not installed. Run: npm run test:e2e:setup`);
};

/** The output of a program; a failing program fails the test with its output. */
export const outputOf = async (
  command: string,
  args: readonly string[],
  folder: string,
): Promise<string> => {
  const { stdout } = await run(command, [...args], { cwd: folder, timeout: RUN_LIMIT_MS });
  return stdout;
};
