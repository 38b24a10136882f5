const DAY_MS = 86_400_000;
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const SHORT = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

export type Week = { from: string; before: string; count: number };

/** Weeks start on Monday, midnight UTC. */
export const weekLabel = ({ from }: Week): string => `Week of ${DAY.format(new Date(from))}`;

export const shortDay = (time: string): string => SHORT.format(new Date(time));

/** The events of a project in one week, in the event log. */
export const weekHref = (project: string, { from, before }: Week): string => {
  const to = new Date(Date.parse(before) - DAY_MS).toISOString();
  const search = { project, from: from.slice(0, 10), to: to.slice(0, 10) };
  return `/?${new URLSearchParams(search)}`;
};
