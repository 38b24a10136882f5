import { describe, expect, test } from 'vitest';
import { createPaint, formatSize } from '../../src/cli/doctor-report.js';
import { indexBytes } from '../../src/data/doctor/index-size.js';
import {
  createStatement,
  createTextStatement,
  readRecommendedIndexes,
} from '../../src/data/doctor/recommended-indexes.js';
import { UNLEASH_VERSIONS, unleashVersion } from '../../src/data/doctor/unleash-version.js';
import { readMigrations } from '../../src/data/layout/migrations-folder.js';

describe('the detected version of Unleash', () => {
  test.each(UNLEASH_VERSIONS)(
    'is $version after its last migration',
    ({ version, lastMigration }) => {
      const names = ['/20141020151056-initial-schema', `/${lastMigration}`];
      expect(unleashVersion(names)).toEqual({ lastMigration, version, isKnown: true });
      expect(unleashVersion(names.toReversed())).toMatchObject({ version });
    },
  );

  test.each([
    ['20250109150818-unique-connections-table', 'older than 6.6', false],
    ['20250304122705-archive-release-template', 'between 6.6 and 6.10', true],
    ['20251002095623-not-null-constraints', 'between 6.10 and 7.6', true],
    ['20260713120000-add-api-tokens-v2', 'between 7.6 and 8.2', true],
    ['20260902120001-later', 'newer than 8.2', false],
  ])('after %s is %s', (lastMigration, version, isKnown) => {
    expect(unleashVersion([lastMigration])).toEqual({ lastMigration, version, isKnown });
  });

  test('is older than known without any migration', () => {
    expect(unleashVersion(['/README'])).toEqual({
      lastMigration: null,
      version: 'older than 6.6',
      isKnown: false,
    });
  });
});

describe('the recommended indexes', () => {
  test('are those of the migrations, each with its own purpose', () => {
    const sql = readMigrations()
      .map((migration) => migration.sql)
      .join('\n');
    const indexes = readRecommendedIndexes();
    expect(indexes.length).toBe(sql.match(/CREATE INDEX flaggraph_/g)?.length);
    expect(new Set(indexes.map(({ speedsUp }) => speedsUp)).size).toBe(indexes.length);
    expect(indexes.map(({ speedsUp }) => speedsUp)).not.toContain('the queries of the gateway');
    expect(indexes[0]).toMatchObject({
      name: 'flaggraph_events_project_type_id',
      table: 'events',
      columns: ['project', 'type', 'id'],
    });
  });

  test('are created by statements with the schema if it is not the default', () => {
    const index = { name: 'some_index', table: 'events', keys: 'type, id DESC' };
    const start = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS some_index ON';
    expect(createStatement('public', index)).toBe(`${start} events (type, id DESC)`);
    expect(createStatement('Flags-2', index)).toBe(`${start} "Flags-2".events (type, id DESC)`);
    expect(createTextStatement('public', 'public')).toContain('(data::text) gin_trgm_ops');
    expect(createTextStatement('flags', 'public')).toContain('(data::text) public.gin_trgm_ops');
  });

  test('have size estimates close to measurements on a million events', () => {
    const table = { rows: 1_000_000, bytes: 547e6, widths: { project: 8, type: 20, id: 4 } };
    const bytes = indexBytes(table, ['project', 'type', 'id']);
    expect(bytes).toBeGreaterThan(54e6 * 0.8);
    expect(bytes).toBeLessThan(54e6 * 1.2);
    expect(indexBytes({ rows: -1, bytes: 0, widths: {} }, ['id'])).toBe(16_384);
    expect(indexBytes({ rows: -1, bytes: 300e6, widths: {} }, ['id'])).toBeGreaterThan(10e6);
  });
});

describe('the report', () => {
  test.each([
    [16_384, '16 kB'],
    [1_500_000, '1.5 MB'],
    [53_900_000, '54 MB'],
    [2_400_000_000, '2.4 GB'],
  ])('formats %i bytes as %s', (bytes, expected) => {
    expect(formatSize(bytes)).toBe(expected);
  });

  test('uses colors only if enabled', () => {
    expect(createPaint(true).good('✓')).toBe('\u001b[32m✓\u001b[0m');
    expect(createPaint(false).good('✓')).toBe('✓');
  });
});
