import { isObject } from '../../json.js';

/** As much of a recorded event as replaying it takes. */
export type HistoryEvent = {
  id: number;
  type: string;
  createdAt: Date | null;
  projectId: string | null;
  environment: string | null;
  /** Null on events that concern more than one feature, such as the removal of an environment. */
  featureName: string | null;
  ip: string | null;
  data: unknown;
};

/**
 * Events carry an address since the original's 6.0. What it did silently before is not what it does now, and only this
 * tells the two apart.
 */
export const isRecent = ({ ip }: HistoryEvent): boolean => ip !== null;

/** Whether an event about environments themselves is about this one; `drop-environments` is about all. */
export const isAbout = (event: HistoryEvent, environment: string): boolean =>
  event.type === 'drop-environments' ||
  event.environment === environment ||
  (isObject(event.data) && event.data['name'] === environment);
