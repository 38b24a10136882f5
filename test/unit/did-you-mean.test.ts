import { expect, test } from 'vitest';
import { didYouMean, similarNames } from '../../src/domain/did-you-mean.js';

const NAMES = ['web-shop', 'mobile', 'payments', 'warehouse', 'Legacy portal'];

test.each([
  ['web-shp', 'web-shop'],
  ['webshop', 'web-shop'],
  ['web-hsop', 'web-shop'],
  ['WEB_SHOP', 'web-shop'],
  ['shop', 'web-shop'],
  ['mobil', 'mobile'],
  ['legacy-portl', 'Legacy portal'],
])('suggests for %s: %s', (input, name) => {
  expect(similarNames(input, NAMES)[0]).toBe(name);
  expect(didYouMean(input, NAMES)).toContain(` Did you mean '${name}'`);
});

test.each(['', 'x', 'something-else', 'y'.repeat(100_000)])(
  'suggests nothing for %.20s',
  (input) => {
    expect(didYouMean(input, NAMES)).toBe('');
  },
);

test('suggests one of the names that differ only in case: the closest', () => {
  const names = ['CHECKOUT', 'checkout', 'Checkout'];
  expect(similarNames('checkot', names)).toEqual(['checkout']);
  expect(similarNames('CHECKOT', names)).toEqual(['CHECKOUT']);
});

test('suggests at most three names, the closest first', () => {
  const names = ['featurs', 'feature', 'feature-a', 'feature-b', 'feature-c'];
  expect(similarNames('featur', names)).toHaveLength(3);
  expect(similarNames('feature-', names)[0]).toBe('feature');
});
