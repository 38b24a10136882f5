import { toPlainLine, withoutMarkdown } from '../../domain/plain-line.js';
import type { EventRecord } from '../../export/event-record.js';
import type { Paint } from '../doctor-report.js';

/** Types that remove or disable something. */
const ENDING = /(deleted|removed|disabled|archived|revoked|rejected|failure|drop)/;
const BEGINNING = /(created|added|enabled|revived|approved|success)/;

const labelOf = ({ typeName, label }: EventRecord, { good, bad, warn }: Paint): string => {
  const paint = ENDING.test(typeName) ? bad : BEGINNING.test(typeName) ? good : warn;
  return paint(toPlainLine(label));
};

/** `web/checkout@production`, without the parts that were not recorded. */
const whereOf = ({ projectId, featureName, environmentName }: EventRecord): string => {
  const location = [projectId, featureName].filter((name) => name !== null).join('/');
  return toPlainLine(environmentName === null ? location : `${location}@${environmentName}`);
};

/** One line for people: time, label, author, place and summary. Nothing in it can control a terminal. */
export const eventLine = (event: EventRecord, paint: Paint): string => {
  const time = toPlainLine(event.createdAt).replace(/\.\d+Z$/, 'Z');
  const where = whereOf(event);
  return [
    paint.dim(time),
    labelOf(event, paint),
    paint.bold(toPlainLine(event.createdBy)),
    ...(where === '' ? [] : [where]),
    paint.dim(toPlainLine(withoutMarkdown(event.summary))),
  ].join('  ');
};
