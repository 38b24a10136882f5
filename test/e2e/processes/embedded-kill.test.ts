import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { startChild } from '../../testkit/child.js';
import { addCloneWorld, addFullSource, FULL_CLONE_ROWS } from '../../testkit/clone-world.js';
import { type Copy, readCopies } from '../../testkit/copies.js';
import { embeddedTemplate } from '../../testkit/database.js';

// EMBEDDED_KILLS=200 runs the long version.
const KILLS = Number(process.env['EMBEDDED_KILLS'] ?? 10);
const LONGEST_DELAY_MS = 200;

let folder: string;
let dataDir: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-kill-'));
  dataDir = join(folder, 'data');
  const database = await openDatabase({ dataDir, embeddedTemplate: embeddedTemplate() });
  await addCloneWorld(database.client);
  await addFullSource(database.client, 'origin');
  await database.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const acknowledged = new Set<string>();
const assertWhole = (copies: readonly Copy[]) => {
  for (const { name, ...rows } of copies) expect([name, rows]).toEqual([name, FULL_CLONE_ROWS]);
  const names = new Set(copies.map(({ name }) => name));
  expect([...acknowledged].filter((name) => !names.has(name))).toEqual([]);
};

test(`survives ${KILLS} × kill -9 during clones`, { timeout: 60_000 * KILLS }, async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    const cloner = startChild('embedded-cloner.ts', dataDir);
    assertWhole(JSON.parse(await cloner.nextLine()));
    for (let clones = kill % 4; clones > 0; clones--) await cloner.nextLine();
    await delay(Math.random() * LONGEST_DELAY_MS);
    await cloner.kill('SIGKILL');
    for (const name of cloner.lines.slice(1)) acknowledged.add(name);
  }

  const { client, close } = await openDatabase({ dataDir });
  try {
    const copies = await readCopies(client);
    assertWhole(copies);
    expect(copies.length).toBeGreaterThan(0);
    // Indexes and tables are consistent.
    const [bySeqScan, byIndex] = await client.$transaction(async (tx) => {
      const counts = () => tx.$queryRaw`
        select (select count(*)::int from events where id > 0) as events,
          (select count(*)::int from features where name > '') as features`;
      await tx.$executeRaw`set local enable_indexscan = off`;
      await tx.$executeRaw`set local enable_indexonlyscan = off`;
      await tx.$executeRaw`set local enable_bitmapscan = off`;
      const first = await counts();
      await tx.$executeRaw`set local enable_indexscan = on`;
      await tx.$executeRaw`set local enable_indexonlyscan = on`;
      await tx.$executeRaw`set local enable_seqscan = off`;
      return [first, await counts()];
    });
    expect(byIndex).toEqual(bySeqScan);
    process.stdout.write(
      `${KILLS} kills, ${acknowledged.size} acknowledged, ${copies.length} copies\n`,
    );
  } finally {
    await close();
  }
});
