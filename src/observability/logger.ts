import { type DestinationStream, type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { Logger } from 'pino';

/** One JSON object a line, or something a person can read where a person looks on. */
export const createLogger = (options: {
  level: string;
  pretty: boolean;
  destination?: DestinationStream;
}): Logger => {
  const settings = { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (options.destination) return pino(settings, options.destination);
  return options.pretty
    ? pino(settings, PinoPretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss', sync: true }))
    : pino(settings);
};
