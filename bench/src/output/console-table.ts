import type { ConsoleResult } from '../console/console-result.js';
import { median } from '../measure/statistics.js';
import { number, row } from './table.js';

const spread = (values: readonly number[]): string[] => [
  number(median(values)),
  number(Math.min(...values)),
  number(Math.max(...values)),
];

/** First view and scrolling: median, lowest and highest of the rounds. */
export const consoleTable = ({ rounds, memory }: ConsoleResult): string[] => {
  const views = rounds.map(({ firstView }) => firstView);
  const scrolls = rounds.map(({ scroll }) => scroll);
  const figures: [title: string, values: number[]][] = [
    ['first rows are painted, ms', views.map(({ rowsMs }) => rowsMs)],
    ['a typed letter is in the search box, ms', views.map(({ interactiveMs }) => interactiveMs)],
    ['total and activity are shown, ms', views.map(({ completeMs }) => completeMs)],
    ['rows scrolled', scrolls.map(({ rows }) => rows)],
    ['between two frames, median, ms', scrolls.map(({ medianMs }) => medianMs)],
    ['between two frames, p99, ms', scrolls.map(({ p99Ms }) => p99Ms)],
    ['between two frames, longest, ms', scrolls.map(({ longestMs }) => longestMs)],
    [
      'frames that the browser reports as 50 ms or longer',
      scrolls.map(({ longFrames }) => longFrames),
    ],
    ['most CPU time of the page for a frame, ms', scrolls.map(({ mostWorkMs }) => mostWorkMs)],
    ['most rows in the page', scrolls.map(({ mostRows }) => mostRows)],
  ];
  return [
    `Each of ${rounds.length} rounds starts the gateway and a browser without a cache, opens the event log, types a letter as soon as rows are painted, and then turns the mouse wheel. The time between two frames is a multiple of the screen's 16.7 ms; the browser itself reports frames (long animation frames) that took 50 ms or longer. While the list is scrolled, the gateway and the database have a lower priority than the browser, which has its own machine elsewhere. Other processes lengthen frames, but not the CPU time of the page.`,
    '',
    row(['figure', 'median', 'lowest', 'highest']),
    '|---|--:|--:|--:|',
    ...figures.map(([title, values]) => row([title, ...spread(values)])),
    '',
    row(['rows scrolled', ...memory.map(({ rows }) => rows.toLocaleString('en'))]),
    `|---|${'--:|'.repeat(memory.length)}`,
    row([
      'script memory after garbage collection, MB',
      ...memory.map(({ heapMb }) => number(heapMb)),
    ]),
    row(['DOM nodes', ...memory.map(({ nodes }) => nodes.toLocaleString('en'))]),
  ];
};
