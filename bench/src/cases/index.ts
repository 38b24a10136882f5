import type { Case } from './case.js';
import { graphqlPage, graphqlTotal, graphqlTree } from './graphql.js';
import { restEventCases } from './rest-events.js';
import { healthReport, integrationEvents } from './rest-others.js';

/** All read-only cases, for a log of this many events. */
export const readingCases = (events: number): Case[] => [
  ...restEventCases.map((define) => define(events)),
  healthReport(),
  integrationEvents(),
  graphqlPage(),
  graphqlTotal(),
  graphqlTree(),
];
