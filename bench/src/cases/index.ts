import type { Case } from './case.js';
import { graphqlPage, graphqlTotal, graphqlTree } from './graphql.js';
import { mixed } from './mixed.js';
import { restEventCases } from './rest-events.js';
import { healthReports, integrationEvents, largeHealthReport } from './rest-others.js';

/** All read-only cases, for a log of this many events. */
export const readingCases = (events: number): Case[] => [
  ...restEventCases.map((define) => define(events)),
  healthReports(),
  largeHealthReport(),
  integrationEvents(),
  graphqlPage(),
  graphqlTotal(),
  graphqlTree(),
  mixed(),
];
