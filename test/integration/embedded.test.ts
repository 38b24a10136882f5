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

let place: string;
let dataDir: string;
const databases: Database[] = [];
const children: Child[] = [];
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'flaggraph-embedded-'));
  dataDir = join(place, 'home');
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill('SIGKILL');
  for (const database of databases.splice(0)) await database.close();
  rmSync(place, { recursive: true });
});

const open = async (options = {}): Promise<Database> => {
  const database = await openDatabase({ dataDir, ...options });
  databases.push(database);
  return database;
};
/** Opening from a packed folder skips the seconds a new one takes to make. */
const openQuickly = () => open({ embeddedTemplate: embeddedTemplate() });

const startWriter = (): Child => {
  const child = startChild('embedded-writer.ts', dataDir);
  children.push(child);
  return child;
};

test('a new folder is made for its owner alone, filled once, and found again', async () => {
  const messages: string[] = [];
  const first = await open({ onProgress: (message: string) => messages.push(message) });
  expect(first).toMatchObject({ kind: 'embedded', ownership: 'ours', isNew: true });
  expect(messages[0]).toBe(`Creating the embedded database in ${dataDir}`);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  await first.client.tagType.create({ data: { name: 'kept' } });
  await first.close();
  expect(readdirSync(dataDir)).toEqual(['database']);
  const told = messages.length;

  const second = await open({ onProgress: (message: string) => messages.push(message) });
  expect(second.isNew).toBe(false);
  expect(await second.client.tagType.findUnique({ where: { name: 'kept' } })).not.toBeNull();
  expect(messages).toHaveLength(told);
});

test('a second process is refused while the first one has the folder', async () => {
  await openQuickly();
  const second = startWriter();
  expect(await second.nextLine()).toMatch(
    new RegExp(`^LayoutError: The folder ${dataDir} is in use by process ${process.pid} on`),
  );
});

test('a killed process leaves every row it was promised, and the folder free', async () => {
  await (await openQuickly()).close();
  const promised: string[] = [];
  for (const rows of [40, 80]) {
    const writer = startWriter();
    while (writer.lines.length < rows) await writer.nextLine();
    await expect(open()).rejects.toThrow(`process ${writer.pid}`);
    await writer.kill('SIGKILL');
    expect(existsSync(join(dataDir, 'lock'))).toBe(true);
    expect(writer.lines[0]).toBe('open');
    promised.push(...writer.lines.slice(1));
  }

  const { client } = await open();
  const kept = await client.tagType.findMany({ where: { name: { in: promised } } });
  expect(kept).toHaveLength(promised.length);
  expect(promised.length).toBeGreaterThan(100);
  await client.tagType.create({ data: { name: 'and it still writes' } });
});

test('a folder whose creation was cut short is made anew', async () => {
  mkdirSync(join(dataDir, 'database'), { recursive: true });
  writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '18\n');
  writeFileSync(join(dataDir, 'creating'), '');
  const { client } = await openQuickly();
  expect(await client.role.count()).toBe(5);
  expect(readdirSync(dataDir).sort()).toEqual(['database', 'lock']);
});

test('a folder that cannot be read as a database is named and left as it is', async () => {
  mkdirSync(join(dataDir, 'database'), { recursive: true });
  writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '9\n');
  await expect(open()).rejects.toThrow(`The embedded database in ${dataDir} cannot be opened`);
  expect(readdirSync(dataDir)).toEqual(['database']);
});

test('a place that cannot hold a folder is refused with its name', async () => {
  writeFileSync(dataDir, 'a file');
  await expect(open()).rejects.toThrow(`cannot be kept in ${dataDir}: EEXIST`);
  dataDir = join(dataDir, 'below');
  const refusal = open();
  await expect(refusal).rejects.toThrow(/cannot be kept in .*ENOTDIR.*DATA_DIR/);
  await expect(refusal).rejects.toMatchObject({ name: 'LayoutError' });
});
