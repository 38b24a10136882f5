import { expect, test } from 'vitest';
import {
  didYouMean,
  didYouMeanAmong,
  editDistance,
  similarNames,
} from '../../src/domain/did-you-mean.js';

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

const TEXTS = Array.from({ length: 40 }, (_, index) =>
  (index * 2_654_435_761).toString(4).slice(0, 4 + (index % 9)),
);

test('stops comparing two texts beyond a limit', () => {
  for (const one of TEXTS) {
    for (const other of TEXTS) {
      const distance = editDistance(one, other);
      for (const limit of [0, 1, 3, 20]) {
        const limited = editDistance(one, other, limit);
        if (distance <= limit) expect(limited).toBe(distance);
        else expect(limited).toBeGreaterThan(limit);
      }
    }
  }
});

test('suggests the same among thousands of names, in slices', async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `checkout-${'x'.repeat(80)}-${index}`);
  const input = `checkout-${'x'.repeat(80)}-12345`;
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const suggested = await didYouMeanAmong(input, names);
  clearInterval(timer);
  expect(suggested).toContain("Did you mean 'checkout-");
  expect(suggested).toBe(didYouMean(input, names));
  expect(turns).toBeGreaterThan(10);
});
