import { once } from 'node:events';
import { type DestinationStream, pino } from 'pino';

/** Maximum buffered characters that the log's reader has not consumed. Further lines are dropped. */
const MAX_WAITING = 4_194_304;
/** How long the last lines wait for their reader on exit. */
const FLUSH_LIMIT_MS = 1_000;
const WARN = 40;

export type LogDestination = {
  stream: DestinationStream;
  /** Resolves when all lines are written, or when they are not read in time. */
  flush(): Promise<void>;
};

/** Standard output without blocking: a log collector that hangs must not stop the gateway. */
export const createLogDestination = (): LogDestination => {
  const output = pino.destination({ dest: 1, sync: false, maxLength: MAX_WAITING });
  let isPending = false;
  let dropped = 0;
  const write = (line: string) => {
    isPending = true;
    output.write(line);
  };
  // Disk full: the lines are kept and retried with the next one.
  output.on('error', () => undefined);
  output.on('drop', () => {
    dropped += 1;
  });
  output.on('drain', () => {
    isPending = false;
    if (dropped === 0) return;
    const msg = `Dropped ${dropped} log lines because they were not read in time.`;
    dropped = 0;
    write(`${JSON.stringify({ level: WARN, time: new Date().toISOString(), msg })}\n`);
  });

  return {
    stream: { write },
    flush: async () => {
      if (!isPending) return;
      try {
        await once(output, 'drain', { signal: AbortSignal.timeout(FLUSH_LIMIT_MS) });
      } catch {
        // Called on exit, where it would block forever.
        output.flushSync = () => undefined;
      }
    },
  };
};
