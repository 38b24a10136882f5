import { ConfigError } from '../config/config.js';
import { LayoutError } from '../data/layout-error.js';
import { OutputError } from './export/sink.js';
import { GatewayError } from './gateway/gateway-error.js';
import { CommandRefusedError } from './on-database.js';

/** Where a command that writes a stream says everything else. */
export type StreamTerminal = {
  env: NodeJS.ProcessEnv;
  tell: (text: string) => void;
  /** Whether the standard output shows colours. */
  hasColour: boolean;
  /** Whether a line of progress may be written over. */
  isWatched: boolean;
  exit: (status: number) => void;
};

export const processStreamTerminal: StreamTerminal = {
  env: process.env,
  tell: (text) => process.stderr.write(text),
  hasColour: process.stdout.isTTY === true,
  isWatched: process.stderr.isTTY === true,
  // All that was written has been waited for; what nobody reads must not keep the process.
  exit: (status) => process.exit(status),
};

const EXPECTED = [CommandRefusedError, ConfigError, GatewayError, LayoutError, OutputError];

/** What a person must read of a failure: its message if it was meant for him, all of it if nobody foresaw it. */
export const failureWords = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const isExpected = EXPECTED.some((kind) => error instanceof kind);
  return isExpected ? error.message : (error.stack ?? error.message);
};
