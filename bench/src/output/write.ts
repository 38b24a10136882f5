import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plotGrowth, plotRatios } from './plots.js';
import type { Results } from './results.js';
import { printTable } from './table.js';

const round = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;

/** Writes the results so far; returns the paths. */
export const writeResults = (folder: string, results: Results): string[] => {
  mkdirSync(folder, { recursive: true });
  const { cases, growth, settings, machine, isQuick } = results;
  const files: [name: string, content: string][] = [
    ['results.json', `${JSON.stringify(results, round, 2)}\n`],
    ['table.md', printTable(results)],
  ];
  if (cases) {
    const note = `${settings.events.toLocaleString('en')} events, ${settings.connections} connections, ${machine.cores} cores for everything, median of ${settings.rounds} rounds${isQuick ? ' (a quick run: rough)' : ''}`;
    files.push(['ratios.svg', plotRatios(cases, note)]);
  }
  if (growth) files.push(['growth.svg', plotGrowth(growth)]);
  return files.map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  });
};
