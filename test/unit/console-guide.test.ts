import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONSOLE_PATHS } from '../../src/pages/console-paths.js';

const read = (name: string): string =>
  readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const guide = read('docs/guides/console.md');

/** The rows of the table below a heading, without its head. */
const rowsBelow = (heading: string): string[][] => {
  const [, section = ''] = guide.split(`\n## ${heading}\n`);
  return [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (.*) \|$/gm)]
    .slice(1)
    .map(([, row = '']) => row.split(' | '));
};

const codesIn = (text = ''): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

test('the guide lists every screen', () => {
  const paths = rowsBelow('Screens').flatMap(([path]) => codesIn(path));
  expect(paths.sort()).toEqual([...CONSOLE_PATHS].sort());
});

test.each([
  ['Events', 'event-log/event-view.ts'],
  ['Projects', 'projects/project-list-view.ts'],
  ['Project', 'projects/feature-list-view.ts'],
  ['Clean-up', 'clean-up/clean-up-view.ts'],
])('the guide lists the parameters of %s', (screen, file) => {
  const view = /EMPTY_VIEW[^{]*\{([^}]*)\}/.exec(read(`console/src/screens/${file}`))?.[1] ?? '';
  const keys = [...view.matchAll(/(\w+): ''/g)].map(([, key]) => key);
  const [, parameters] = rowsBelow('Links to share').find(([name]) => name === screen) ?? [];
  expect(keys.length).toBeGreaterThan(0);
  expect(codesIn(parameters)).toEqual(keys);
});
