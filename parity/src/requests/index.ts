import type { World } from '../world/world.js';
import { accessScenarios } from './access.js';
import { cloneScenarios } from './clone.js';
import { healthScenarios } from './health-report.js';
import { integrationScenarios } from './integration-events.js';
import type { Scenario } from './scenario.js';
import { searchScenarios } from './search-events.js';
import { transportScenarios } from './transport.js';

/** Requests for every line of the reference. Clones that are kept come last. */
export const handWritten = (world: World): Scenario[] => [
  ...searchScenarios(world),
  ...healthScenarios(),
  ...integrationScenarios(world),
  ...transportScenarios(),
  ...accessScenarios(world),
  ...cloneScenarios(world),
];
