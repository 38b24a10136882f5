import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../.originals/', import.meta.url));

const npmInstall = async (packageName: string, range: string, folder: string): Promise<void> => {
  const partial = `${folder}.partial-${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, 'package.json'), '{ "private": true }\n');

  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawn('npm', ['install', ...options, `${packageName}@${range}`], {
    cwd: partial,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
  });
  let complaint = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const [status] = await once(npm, 'close');
  if (status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    throw new Error(`npm could not install ${packageName}@${range}:\n${complaint}`);
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(partial, folder);
};

/** Installations in progress by folder: concurrent parts may need the same package. */
const installing = new Map<string, Promise<void>>();

const provide = async (
  packageName: string,
  range: string,
  folder: string,
  onProgress: (message: string) => void,
): Promise<string> => {
  const installed = join(folder, 'node_modules', packageName);
  if (!existsSync(join(installed, 'package.json'))) {
    onProgress(`Installing ${packageName} ${range}`);
    const installation = installing.get(folder) ?? npmInstall(packageName, range, folder);
    installing.set(folder, installation);
    await installation;
  }
  return installed;
};

/** Node.js major versions that a version of upstream supports; `until` is exclusive. */
const nodesOf = (version: string): readonly [from: number, until: number] =>
  version.startsWith('6.') ? [18, 21] : [22, Number.POSITIVE_INFINITY];

/** Returns a Node.js binary in this range: the running one if it matches, else the newest match up to 22, or `from`, from the registry. */
export const provideNode = async (
  [from, until]: readonly [from: number, until: number],
  onProgress: (message: string) => void = () => undefined,
): Promise<string> => {
  const running = Number.parseInt(process.versions.node, 10);
  if (running >= from && running < until) return process.execPath;

  const major = Math.min(until - 1, Math.max(from, 22));
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const installed = await provide(
    `node-${platform}-${process.arch}`,
    String(major),
    join(FOLDER, 'node', String(major)),
    onProgress,
  );
  return join(installed, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
};

export type InstalledUpstream = {
  /** Folder of upstream's package. */
  folder: string;
  /** Path of a Node.js binary it supports. */
  node: string;
};

/**
 * Installs a version of upstream from the registry, once, and a Node.js version for it if the running one does not
 * match.
 */
export const installUpstream = async (
  version: string,
  onProgress: (message: string) => void = () => undefined,
): Promise<InstalledUpstream> => {
  const folder = await provide('unleash-server', version, join(FOLDER, version), onProgress);
  const { version: found } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (found !== version) throw new Error(`${folder} holds version ${found}, not ${version}`);
  return { folder, node: await provideNode(nodesOf(version), onProgress) };
};
