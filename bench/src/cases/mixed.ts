import type { Case } from './case.js';
import { graphqlPage, graphqlTotal, graphqlTree } from './graphql.js';
import { healthReports } from './rest-others.js';

/** How many of 100 requests are of each case. */
const SHARES: readonly (readonly [share: number, test: Case])[] = [
  [80, graphqlPage()],
  [10, graphqlTree()],
  [5, graphqlTotal()],
  [5, healthReports()],
];
const CHOICES = SHARES.flatMap(([share, test]) => Array.from({ length: share }, () => test));

/** What a frontend sends. No other contender has all of it. */
export const mixed = (): Case => ({
  id: 'mixed',
  title: 'Mixed: 80 % GraphQL pages, 10 % trees, 5 % totals, 5 % health reports',
  subject: 'gateway',
  targets: [],
  names: ['gateway'],
  drawQuestion: (draw) => draw.pick(CHOICES).drawQuestion(draw),
});
