import { Time } from './time.js';

const TIMESTAMP = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)/;

/** A message of the gateway, with its timestamps in the zone of the reader. */
export const TextWithTimes = ({ text }: { text: string }) =>
  text
    .split(TIMESTAMP)
    .map((part) => (TIMESTAMP.test(part) ? <Time key={part} value={part} /> : part));
