import { type DestinationStream, type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { Logger } from 'pino';

type Line = Readonly<Record<string, unknown>>;

const WITHOUT_OUTCOME = 'aborted';

/** A request on one line, such as `POST /graphql 200 12 ms query Names`; for anything else its message first. */
export const lineOf = (line: Line, messageKey: string): string => {
  if (line['requestId'] === undefined) {
    const { errorId, err } = line as { errorId?: string; err?: { stack?: string } };
    const id = errorId === undefined ? '' : ` (${errorId})`;
    return [`${line[messageKey] ?? ''}${id}`, err?.stack ?? ''].join('\n').trimEnd();
  }
  const { method, path, ms, operationType, operation, errorCode } = line;
  const message = line[messageKey];
  const outcome = message === undefined ? (line['status'] ?? WITHOUT_OUTCOME) : undefined;
  const start = message === undefined ? undefined : `${message}:`;
  const parts = [start, method, path, outcome, `${ms} ms`, operationType, operation, errorCode];
  return parts.filter((part) => part !== undefined).join(' ');
};

/** Logs one JSON object per line, or human-readable lines if `pretty`. */
export const createLogger = (options: {
  level: string;
  pretty: boolean;
  destination?: DestinationStream;
}): Logger => {
  const settings = { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (options.destination) return pino(settings, options.destination);
  if (!options.pretty) return pino(settings);
  const pretty = PinoPretty({
    ignore: 'pid,hostname',
    translateTime: 'HH:MM:ss',
    hideObject: true,
    messageFormat: lineOf,
    sync: true,
  });
  return pino(settings, pretty);
};
