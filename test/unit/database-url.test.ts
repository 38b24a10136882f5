import { describe, expect, test } from 'vitest';
import { readDatabaseUrl } from '../../src/data/pool/database-url.js';

const warningsOf = (url: string) => readDatabaseUrl(url).warnings;

describe('a database URL', () => {
  test.each([
    'postgresql://ada:secret-word@db.example.com/flags',
    'postgresql://ada:secret-word@10.0.0.7:5433/flags?schema=flags',
    'postgresql://ada:secret-word@[2001:db8::1]/flags',
  ])('warns that %s is not encrypted', (url) => {
    const [warning, ...others] = warningsOf(url);
    expect(warning).toMatch(/is not encrypted: DATABASE_URL names no sslmode/);
    expect(warning).not.toContain('secret-word');
    expect(others).toEqual([]);
  });

  test.each([
    'postgresql://ada@localhost/flags',
    'postgresql://ada@127.0.0.1:5433/flags',
    'postgresql://ada@[::1]/flags',
    'postgresql:///flags?host=/var/run/postgresql',
    'postgresql://ada@db.example.com/flags?sslmode=disable',
    'postgresql://ada@db.example.com/flags?sslmode=require',
    'postgresql://ada@db.example.com/flags?sslmode=verify-full',
  ])('does not warn about %s', (url) => {
    expect(warningsOf(url)).toEqual([]);
  });

  test('sends no additional startup options', () => {
    expect(readDatabaseUrl('postgresql://ada@localhost/flags').config.options).toBeUndefined();
  });
});
