import { expect, test } from 'vitest';
import { toPlainJson, toPlainText, withPlainTexts } from '../../src/domain/plain-line.js';

const HOSTILE = 'a\u001b[2J\u009b31m\u202eb\u007f';

test('keeps lines and tabs, and replaces control characters and direction marks', () => {
  expect(toPlainText(`one\n\ttwo ${HOSTILE}\r`)).toBe(
    'one\n\ttwo a\ufffd[2J\ufffd31m\ufffdb\ufffd\ufffd',
  );
});

test('prints JSON without control characters that parses to the same value', () => {
  const json = toPlainJson({ name: HOSTILE });
  expect(json).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  expect(JSON.parse(json)).toEqual({ name: HOSTILE });
});

test('replaces control characters in every text of a value, and keeps other values', () => {
  const at = new Date();
  expect(withPlainTexts({ list: [HOSTILE, 1, null], deep: { at, name: 'x\u0007' } })).toEqual({
    list: [toPlainText(HOSTILE), 1, null],
    deep: { at, name: 'x\ufffd' },
  });
});
