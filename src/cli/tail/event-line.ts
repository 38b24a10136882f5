import type { Paint } from '../doctor-report.js';
import type { EventRecord } from '../events/event-record.js';
import { toPlainLine, withoutMarkdown } from '../events/plain-line.js';

/** Types that remove or disable something. */
const ENDING = /(deleted|removed|disabled|archived|revoked|rejected|failure|drop)/;
const BEGINNING = /(created|added|enabled|revived|approved|success)/;

const labelOf = ({ type, label }: EventRecord, { good, bad, warn }: Paint): string => {
  const paint = ENDING.test(type) ? bad : BEGINNING.test(type) ? good : warn;
  return paint(toPlainLine(label));
};

/** `web/checkout@production`, without the parts that were not recorded. */
const whereOf = ({ project, featureName, environment }: EventRecord): string => {
  const location = [project, featureName].filter((name) => name !== null).join('/');
  return toPlainLine(environment === null ? location : `${location}@${environment}`);
};

/** One line for people: time, label, author, place and summary. Nothing in it can control a terminal. */
export const eventLine = (event: EventRecord, paint: Paint): string => {
  const time = toPlainLine(event.createdAt ?? 'no time').replace(/\.\d+Z$/, 'Z');
  const where = whereOf(event);
  return [
    paint.dim(time),
    labelOf(event, paint),
    paint.bold(toPlainLine(event.createdBy)),
    ...(where === '' ? [] : [where]),
    paint.dim(toPlainLine(withoutMarkdown(event.summary))),
  ].join('  ');
};
