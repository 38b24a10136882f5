import type { Chance } from '../permissions/chance.js';
import type { ApiResponse } from '../world/admin-api.js';
import { makeStrategy, makeVariants } from './payloads.js';
import type { FeatureState } from './read-states.js';
import { ENVIRONMENTS, PROJECTS, type Stage } from './stage.js';

export const FEATURES = ['past-1', 'past-2', 'past-3', 'past-4', 'past-5'] as const;

/** Upstream rejects some random operations, and fails on a few; the states are read again after the next one. */
const TOLERATED = { tolerates: [400, 403, 404, 409, 415, 500] };

export type World = {
  stage: Stage;
  chance: Chance;
  features: ReadonlyMap<string, FeatureState>;
  segmentIds: readonly number[];
  /** Number of the operation. */
  step: number;
};

type Call = Promise<ApiResponse>;
type Target = World & { feature: FeatureState; path: string; environment: string; at: string };
type Operation = (target: Target) => Call;

const strategyIds = ({ feature, environment }: Target): string[] =>
  feature.environments[environment]?.strategies.map(({ id }) => id) ?? [];

const anyStrategy = (target: Target): string => {
  const [first = 'none', ...others] = strategyIds(target);
  return target.chance.pick([first, ...others]);
};

const TAGS = ['red', 'green', 'blue'] as const;

const patch = ({ stage: { api }, path, chance, step }: Target): Call => {
  const [key, value] = chance.pick<[string, unknown]>([
    ['description', `text ${step}`],
    ['description', null],
    ['type', chance.pick(['release', 'experiment', 'kill-switch'])],
    ['impressionData', chance.percent(50)],
    ['stale', chance.percent(50)],
  ]);
  return api.patch(path, [{ op: 'replace', path: `/${key}`, value }], TOLERATED);
};

const setOrder = (target: Target): Call => {
  const { stage, chance, at } = target;
  const ids = chance.shuffle(strategyIds(target));
  const body = ids.map((id, index) => ({
    id,
    sortOrder: index * chance.int(1, 3) + chance.int(0, 1),
  }));
  return stage.api.post(`${at}/strategies/set-sort-order`, body, TOLERATED);
};

/** Unleash writes no event for this one. */
const setSegments = (target: Target): Call => {
  const { stage, chance, feature, environment, segmentIds } = target;
  return stage.api.post(
    '/api/admin/segments/strategies',
    {
      projectId: feature.projectId,
      strategyId: anyStrategy(target),
      environmentId: environment,
      segmentIds: chance.some(segmentIds, 0, 2),
    },
    TOLERATED,
  );
};

const addSegment = ({ stage: { api }, step }: Target): Call =>
  api.post('/api/admin/segments', { name: `segment-${step}`, constraints: [] }, TOLERATED);

const deleteSegment = ({ stage: { api }, chance, segmentIds }: Target): Call =>
  api.delete(
    `/api/admin/segments/${chance.pick([segmentIds[0] ?? 0, ...segmentIds])}`,
    undefined,
    TOLERATED,
  );

/** For archived features, upstream deletes the last strategy without an event, and responds with 404. */
const removeStrategy = (target: Target): Call => {
  const id = target.feature.archived ? 'none' : anyStrategy(target);
  return target.stage.api.delete(`${target.at}/strategies/${id}`, undefined, TOLERATED);
};

const OPERATIONS: readonly (readonly [weight: number, run: Operation])[] = [
  [8, patch],
  [
    10,
    (t) => t.stage.api.post(`${t.at}/strategies`, makeStrategy(t.chance, t.segmentIds), TOLERATED),
  ],
  [
    8,
    (t) =>
      t.stage.api.put(
        `${t.at}/strategies/${anyStrategy(t)}`,
        makeStrategy(t.chance, t.segmentIds),
        TOLERATED,
      ),
  ],
  [4, removeStrategy],
  [6, setOrder],
  [10, (t) => t.stage.api.post(`${t.at}/on`, {}, TOLERATED)],
  [8, (t) => t.stage.api.post(`${t.at}/off`, {}, TOLERATED)],
  [5, (t) => t.stage.api.put(`${t.at}/variants`, makeVariants(t.chance), TOLERATED)],
  [
    4,
    (t) =>
      t.stage.api.post(
        `/api/admin/features/${t.feature.name}/tags`,
        { type: 'simple', value: t.chance.pick(TAGS) },
        TOLERATED,
      ),
  ],
  [
    3,
    (t) =>
      t.stage.api.delete(
        `/api/admin/features/${t.feature.name}/tags/simple/${t.chance.pick(TAGS)}`,
        undefined,
        TOLERATED,
      ),
  ],
  [
    3,
    (t) =>
      t.stage.api.post(
        `${t.path}/dependencies`,
        { feature: t.chance.pick(FEATURES), enabled: true },
        TOLERATED,
      ),
  ],
  [2, (t) => t.stage.api.delete(`${t.path}/dependencies`, undefined, TOLERATED)],
  [4, (t) => t.stage.api.delete(t.path, undefined, TOLERATED)],
  [5, (t) => t.stage.api.post(`/api/admin/archive/revive/${t.feature.name}`, {}, TOLERATED)],
  [2, (t) => t.stage.api.delete(`/api/admin/archive/${t.feature.name}`, undefined, TOLERATED)],
  [4, setSegments],
  [3, addSegment],
  [3, deleteSegment],
  [
    2,
    (t) =>
      t.stage.api.delete(
        `/api/admin/projects/${t.feature.projectId}/environments/${t.environment}`,
        undefined,
        TOLERATED,
      ),
  ],
  [
    3,
    (t) =>
      t.stage.api.post(
        `/api/admin/projects/${t.feature.projectId}/environments`,
        { environment: t.environment },
        TOLERATED,
      ),
  ],
];

/** Does nothing if the feature exists. */
export const createFeature = ({ api }: Stage, name: string, project: string = PROJECTS[0]): Call =>
  api.post(`/api/admin/projects/${project}/features`, { name, type: 'release' }, TOLERATED);

/** Runs one random operation through upstream's API; returns whether upstream accepted it. */
export const runOperation = async (world: World): Promise<boolean> => {
  const { stage, chance, features } = world;
  const name = chance.pick(FEATURES);
  const feature = features.get(name);
  const environment = chance.pick(ENVIRONMENTS);
  // Drawn in any case, so that the same seed makes the same choices.
  const operation = chance.weighted(OPERATIONS);
  const project = chance.pick(PROJECTS);
  if (!feature) return (await createFeature(stage, name, project)).status < 300;
  const path = `/api/admin/projects/${feature.projectId}/features/${name}`;
  const at = `${path}/environments/${environment}`;
  return (await operation({ ...world, feature, path, environment, at })).status < 300;
};
