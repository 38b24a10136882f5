import { environmentOf, type HistoryEvent } from './history-event.js';

const ADDED = 'project-environment-added';
const REMOVED = 'project-environment-removed';

/** Events that record which environments a project has, besides those that switch features. */
export const MEMBERSHIP_TYPES: readonly string[] = [ADDED];

type Place = { project: string | null; environment: string };

/** Whether the project has the environment after the event; null if the event does not concern it. */
const isMemberAfter = (event: HistoryEvent, { project, environment }: Place): boolean | null => {
  if (event.type === 'drop-environments') return false;
  if (event.type === 'environment-deleted')
    return environmentOf(event) === environment ? false : null;
  if (event.type !== ADDED && event.type !== REMOVED) return null;
  const isHere = event.projectId === project && environmentOf(event) === environment;
  return isHere ? event.type === ADDED : null;
};

/** An environment can be added without an event: then it is unknown since when the project has it. */
const confirm = (recorded: boolean | null, later: boolean | null): boolean | null =>
  recorded === false && later === true ? null : (recorded ?? later);

/**
 * Whether a project had an environment at a timestamp, according to the last event before it, the first one after it,
 * or the database. Null if it cannot be determined.
 */
export const hadEnvironment = (
  events: readonly HistoryEvent[],
  time: Date,
  place: Place,
  present: ReadonlySet<string> | null,
): boolean | null => {
  if (place.project === null) return null;
  let last: boolean | null = null;
  for (const event of events) {
    const isMember = isMemberAfter(event, place);
    if (isMember === null || event.createdAt === null) continue;
    if (event.createdAt > time) {
      if (event.type !== ADDED && event.type !== REMOVED) return last;
      return confirm(last, !isMember);
    }
    last = isMember;
  }
  return confirm(last, present?.has(place.environment) ?? null);
};
