import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/data/connect.js';
import { type Child, startChild } from '../testkit/child.js';
import { embeddedTemplate } from '../testkit/database.js';

let folder: string;
let dataDir: string;
const databases: Database[] = [];
const children: Child[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-embedded-'));
  dataDir = join(folder, 'home');
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill('SIGKILL');
  for (const database of databases.splice(0)) await database.close();
  rmSync(folder, { recursive: true });
});

const open = async (options = {}): Promise<Database> => {
  const database = await openDatabase({ dataDir, ...options });
  databases.push(database);
  return database;
};
/** Opening a packed folder is seconds faster than creating a new one. */
const openQuickly = () => open({ embeddedTemplate: embeddedTemplate() });

const startWriter = (): Child => {
  const child = startChild('embedded-writer.ts', dataDir);
  children.push(child);
  return child;
};

test('creates a new folder for its owner only, migrates it once, and opens it again', async () => {
  const messages: string[] = [];
  const first = await open({ onProgress: (message: string) => messages.push(message) });
  expect(first).toMatchObject({ kind: 'embedded', ownership: 'flaggraph', isNew: true });
  expect(messages[0]).toBe(`Creating the embedded database in ${dataDir}`);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  await first.client.tagType.create({ data: { name: 'kept' } });
  await first.close();
  expect(readdirSync(dataDir)).toEqual(['database']);
  const count = messages.length;

  const second = await open({ onProgress: (message: string) => messages.push(message) });
  expect(second.isNew).toBe(false);
  expect(await second.client.tagType.findUnique({ where: { name: 'kept' } })).not.toBeNull();
  expect(messages).toHaveLength(count);
});

test('rejects a second process while the first one holds the folder', async () => {
  await openQuickly();
  const second = startWriter();
  expect(await second.nextLine()).toMatch(
    new RegExp(`^LayoutError: The folder ${dataDir} is in use by process ${process.pid} on`),
  );
});

test('keeps every committed row when the process is killed, and releases the folder', async () => {
  await (await openQuickly()).close();
  const acknowledged: string[] = [];
  for (const rows of [40, 80]) {
    const writer = startWriter();
    while (writer.lines.length < rows) await writer.nextLine();
    await expect(open()).rejects.toThrow(`process ${writer.pid}`);
    await writer.kill('SIGKILL');
    expect(existsSync(join(dataDir, 'lock'))).toBe(true);
    expect(writer.lines[0]).toBe('open');
    acknowledged.push(...writer.lines.slice(1));
  }

  const { client } = await open();
  const stored = await client.tagType.findMany({ where: { name: { in: acknowledged } } });
  expect(stored).toHaveLength(acknowledged.length);
  expect(acknowledged.length).toBeGreaterThan(100);
  await client.tagType.create({ data: { name: 'and it still writes' } });
});

test('recreates a folder whose creation was interrupted', async () => {
  mkdirSync(join(dataDir, 'database'), { recursive: true });
  writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '18\n');
  writeFileSync(join(dataDir, 'creating'), '');
  const { client } = await openQuickly();
  expect(await client.role.count()).toBe(5);
  expect(readdirSync(dataDir).sort()).toEqual(['database', 'lock']);
});

test('reports a folder that is not a readable database and leaves it unchanged', async () => {
  mkdirSync(join(dataDir, 'database'), { recursive: true });
  writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '9\n');
  await expect(open()).rejects.toThrow(`The embedded database in ${dataDir} cannot be opened`);
  expect(readdirSync(dataDir)).toEqual(['database']);
});

test('reports a path at which a folder cannot be created', async () => {
  writeFileSync(dataDir, 'a file');
  await expect(open()).rejects.toThrow(`cannot be stored in ${dataDir}: EEXIST`);
  dataDir = join(dataDir, 'below');
  const opening = open();
  await expect(opening).rejects.toThrow(/cannot be stored in .*ENOTDIR.*DATA_DIR/);
  await expect(opening).rejects.toMatchObject({ name: 'LayoutError' });
});
