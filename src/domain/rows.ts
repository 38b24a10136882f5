/** Row types that operations return. */
export type { Dependency, Feature, Project } from '../data/db.js';
export type { Loaders } from '../data/loaders.js';
