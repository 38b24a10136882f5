import { isObject } from '../../json.js';

/** The parts of an event that a replay needs. */
export type HistoryEvent = {
  id: number;
  type: string;
  createdAt: Date | null;
  projectId: string | null;
  environment: string | null;
  /** Null for events about more than one feature, such as the removal of an environment. */
  featureName: string | null;
  ip: string | null;
  data: unknown;
  preData: unknown;
};

/**
 * Events record an IP address since Unleash 6.0. Earlier versions had other unrecorded side effects, and only this
 * distinguishes them.
 */
export const isRecent = ({ ip }: HistoryEvent): boolean => ip !== null;

/** Whether an event is about one feature; Unleash's own imports name it only in their payload. */
export const isOwn = ({ featureName, type }: HistoryEvent): boolean =>
  featureName !== null || type === 'feature-import';

/** Unleash deletes only archived features, but also records the attempt to delete another one. */
export const isDeletion = ({ type, preData }: Pick<HistoryEvent, 'type' | 'preData'>): boolean => {
  if (type !== 'feature-deleted') return false;
  const { archived, archivedAt = null } = isObject(preData) ? preData : {};
  return archived !== false || archivedAt !== null;
};

const ENVIRONMENT_TYPES: ReadonlySet<string> = new Set([
  'project-environment-removed',
  'environment-created',
  'environment-deleted',
  'environment-import',
]);

const nameIn = (payload: unknown): string | null =>
  isObject(payload) && typeof payload['name'] === 'string' ? payload['name'] : null;

/** The environment of an event; some events name it only in their payload. */
export const environmentOf = ({
  type,
  environment,
  data,
  preData,
}: Pick<HistoryEvent, 'type' | 'environment' | 'data' | 'preData'>) =>
  environment ?? (ENVIRONMENT_TYPES.has(type) ? (nameIn(data) ?? nameIn(preData)) : null);

/**
 * Whether an event about environments is about this one, or about all, like `drop-environments`; null if it should
 * name one and does not.
 */
export const isAbout = (event: HistoryEvent, environment: string | null): boolean | null => {
  if (event.type === 'drop-environments') return environment !== null;
  if (!ENVIRONMENT_TYPES.has(event.type)) return false;
  const named = environmentOf(event);
  return named === null ? null : named === environment;
};

/** Whether a project's event concerns a feature of this project; null if either is unknown. */
export const isInProject = ({ projectId }: HistoryEvent, project: string | null): boolean | null =>
  projectId === null || project === null ? null : projectId === project;
