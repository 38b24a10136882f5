/** The shapes in which the domain hands out what it found. */
export type { Dependency, Feature, Project } from '../data/db.js';
export type { Loaders } from '../data/loaders.js';
export type { Tally } from '../data/tally.js';
