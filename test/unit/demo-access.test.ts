import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import { createDemoAccess } from '../../src/demo/demo-access.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-demo-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const accessWith = (settings: Record<string, string>, hasDemo = true) =>
  createDemoAccess(loadConfig({ DATA_DIR: folder, ...settings }), hasDemo);

describe('well-known demo tokens', () => {
  test.each(['127.0.0.1', 'localhost', '::1'])('work when HOST is %s', (HOST) => {
    const access = accessWith({ HOST });
    expect(access.tokens).toEqual(DEMO_TOKENS);
    expect(access.rejects(DEMO_TOKENS.admin)).toBe(false);
    expect(access.isLocal).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['in production', { NODE_ENV: 'production' }, true],
    ['with DATABASE_URL', { DATABASE_URL: 'postgresql://db/flags' }, true],
    ['without a demo world', {}, false],
  ])('are rejected and not offered %s', (_when, settings, hasDemo) => {
    for (const HOST of ['127.0.0.1', '0.0.0.0']) {
      const access = accessWith({ ...settings, HOST }, hasDemo);
      expect(access.tokens).toBeNull();
      expect(Object.values(DEMO_TOKENS).every(access.rejects)).toBe(true);
      expect(access.storedToken('*:*.x')).toBe('*:*.x');
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('when other machines can reach the gateway', () => {
  test('demo tokens are secrets of the data folder', () => {
    const { tokens, rejects, storedToken, isLocal } = accessWith({ HOST: '0.0.0.0' });
    expect(isLocal).toBe(false);
    expect(Object.values(DEMO_TOKENS).every(rejects)).toBe(true);
    expect(new Set(Object.values(tokens ?? {})).size).toBe(Object.keys(DEMO_TOKENS).length);
    expect(tokens?.admin).toMatch(/^\*:\*\.[\w-]{43}$/);
    expect(tokens?.viewer).toMatch(/^user:[\w-]{43}$/);
    expect(tokens?.client).toMatch(/^web-shop:development\.[\w-]{43}$/);
    expect(storedToken(tokens?.viewer ?? '')).toBe(DEMO_TOKENS.viewer);
    expect(rejects(tokens?.viewer ?? '')).toBe(false);
  });

  test('demo tokens persist across restarts in a file that only its owner can read', () => {
    const before = accessWith({ HOST: '::' }).tokens;
    const [name = ''] = readdirSync(folder);
    const file = join(folder, name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(before?.admin.slice(4));

    chmodSync(file, 0o644);
    expect(accessWith({ HOST: '192.0.2.7' }).tokens).toEqual(before);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('demo tokens differ between folders', () => {
    const other = mkdtempSync(join(tmpdir(), 'flaggraph-demo-'));
    const one = accessWith({ HOST: '0.0.0.0' }).tokens?.admin;
    expect(accessWith({ HOST: '0.0.0.0', DATA_DIR: other }).tokens?.admin).not.toBe(one);
    expect(accessWith({ HOST: '0.0.0.0', DATA_DIR: 'memory://' }).tokens?.admin).not.toBe(one);
    rmSync(other, { recursive: true });
  });
});
