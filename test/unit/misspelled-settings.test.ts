import { expect, test } from 'vitest';
import { misspelledSettings } from '../../src/cli/misspelled-settings.js';

test('variables that are almost a setting are reported', () => {
  const env = { DATBASE_URL: 'x', TRUSTED_PROXY: '1', UNLEASH_SECRETS: 'x' };
  expect(misspelledSettings(env)).toEqual([
    'DATBASE_URL is not a setting. Did you mean DATABASE_URL?',
    'TRUSTED_PROXY is not a setting. Did you mean TRUSTED_PROXIES?',
    'UNLEASH_SECRETS is not a setting. Did you mean UNLEASH_SECRET?',
  ]);
});

test('settings and variables of other programs are not reported', () => {
  const env = {
    DATABASE_URL: 'x',
    HOME: '/',
    HOSTNAME: 'a',
    PORTS: '1',
    LANGUAGE: 'en',
    npm_config_cache: 'x',
  };
  expect(misspelledSettings(env)).toEqual([]);
});
