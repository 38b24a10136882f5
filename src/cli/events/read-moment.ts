import { CommandRefusedError } from '../on-database.js';

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i;

/** JavaScript takes 30 February for a day in March. */
const exists = (day: string): boolean => {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};

/** A moment of RFC 3339, or a day in UTC, which as an end counts in full. */
export const readMoment = (option: string, text: string, edge: 'begin' | 'end'): string => {
  const day = DAY.test(text) ? text : MOMENT.exec(text)?.[1];
  const moment = new Date(DAY.test(text) ? `${text}T00:00:00Z` : text.toUpperCase());
  if (day === undefined || !exists(day) || Number.isNaN(moment.getTime())) {
    throw new CommandRefusedError(
      `${option} takes a moment such as 2026-03-01T09:30:00Z or a day such as 2026-03-01; '${text}' is neither.`,
    );
  }
  const isWholeDay = edge === 'end' && DAY.test(text);
  return new Date(moment.getTime() + (isWholeDay ? DAY_MS : 0)).toISOString();
};
