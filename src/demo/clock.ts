const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The company starts using the service this many days before the demo world is loaded. */
export const FIRST_DAY = -92;

/** Times of the demo world, told as days before the one it is loaded on (-1 is yesterday). */
export type Clock = {
  /** Midnight, UTC, of the day the world is loaded on: nothing in it happens later. */
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
