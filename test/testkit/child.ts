import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

export type Child = {
  pid: number;
  /** Lines the child has printed so far. */
  lines: readonly string[];
  /** Resolves with the next line that was not returned yet. */
  nextLine(): Promise<string>;
  writeLine(line: string): void;
  kill(signal: NodeJS.Signals): Promise<void>;
};

const FOLDER = new URL('../../node_modules/.cache/flaggraph-children/', import.meta.url);
const COMPILED = new URL('../../.compiled/', import.meta.url);

/** Bundles a file of the test kit. Its imports of src/ become imports of the compiled files, which start at once. */
const compile = (file: string): string => {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    external: ['../../src/*'],
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
  });
  const path = new URL(`${file}.mjs`, FOLDER);
  // Another worker may start the same file.
  const unfinished = new URL(`${file}.${process.pid}`, FOLDER);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(unfinished, outputFiles[0]?.text.replaceAll('"../../src/', `"${COMPILED}`) ?? '');
  renameSync(unfinished, path);
  return fileURLToPath(path);
};

/** Runs a file of the test kit in its own process. */
export const startChild = (file: string, ...args: string[]): Child => {
  const child = spawn(process.execPath, [compile(file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const closed = once(output, 'close');
  const exited = once(child, 'exit');
  let read = 0;

  return {
    pid: child.pid ?? 0,
    lines,
    nextLine: async () => {
      while (lines.length <= read) {
        if (child.exitCode !== null) throw new Error(`${file} ended without another line`);
        await Promise.race([once(output, 'line'), closed]);
      }
      return lines[read++] ?? '';
    },
    writeLine: (line) => child.stdin.write(`${line}\n`),
    kill: async (signal) => {
      child.kill(signal);
      // A large process takes a while to exit after its output was closed.
      await Promise.all([closed, exited]);
    },
  };
};
