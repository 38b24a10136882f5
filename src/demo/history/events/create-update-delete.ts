import type { Author } from '../../people.js';
import type { EventLine } from '../event-draft.js';

type Facts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
type Place = NonNullable<EventLine[4]>;

/** Events of an object that was created, updated once and deleted: no row remains. */
export const createUpdateDelete = (
  kind: string,
  by: Author,
  [created, updated, deleted]: readonly [number, number, number],
  before: Facts,
  change: Facts,
  place: Place = {},
): EventLine[] => {
  const first = { ...before };
  const then = { ...before, ...change };
  return [
    [created, 620, `${kind}-created`, by, { ...place, data: first }],
    [updated, 640, `${kind}-updated`, by, { ...place, data: then, preData: first }],
    [deleted, 660, `${kind}-deleted`, by, { ...place, preData: then }],
  ];
};
