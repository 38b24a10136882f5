const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The company starts using Unleash this many days before the demo world is loaded. */
export const FIRST_DAY = -92;

/** Timestamps of the demo world, as day offsets from the day it is loaded (-1 is yesterday). */
export type Clock = {
  /** UTC midnight of the day the world is loaded; no event is later. */
  readonly today: Date;
  at(day: number, minuteOfDay?: number): Date;
};

export const createClock = (now: Date): Clock => {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return {
    today: new Date(midnight),
    at: (day, minuteOfDay = 0) => new Date(midnight + day * DAY_MS + minuteOfDay * MINUTE_MS),
  };
};

export const minutesAfter = (time: Date, minutes: number): Date =>
  new Date(time.getTime() + minutes * MINUTE_MS);

export const daysBetween = (from: Date, to: Date): number =>
  Math.floor((to.getTime() - from.getTime()) / DAY_MS);
